// SPDX-License-Identifier: BSD-3-Clause
#include <jit/reserved_names.hpp>

#include <algorithm>
#include <array>

#include <jit/consistent_names.hpp>
#include <jit/math_names.hpp>

namespace op2::jit {
namespace {

// ISO C++20, table 5 and the alternative tokens of table 6.
constexpr auto keywords =
    std::to_array<std::string_view>({"alignas",       "alignof",     "and",
                                     "and_eq",        "asm",         "auto",
                                     "bitand",        "bitor",       "bool",
                                     "break",         "case",        "catch",
                                     "char",          "char16_t",    "char32_t",
                                     "char8_t",       "class",       "co_await",
                                     "co_return",     "co_yield",    "compl",
                                     "concept",       "const",       "const_cast",
                                     "consteval",     "constexpr",   "constinit",
                                     "continue",      "decltype",    "default",
                                     "delete",        "do",          "double",
                                     "dynamic_cast",  "else",        "enum",
                                     "explicit",      "export",      "extern",
                                     "false",         "float",       "for",
                                     "friend",        "goto",        "if",
                                     "inline",        "int",         "long",
                                     "mutable",       "namespace",   "new",
                                     "noexcept",      "not",         "not_eq",
                                     "nullptr",       "operator",    "or",
                                     "or_eq",         "private",     "protected",
                                     "public",        "register",    "reinterpret_cast",
                                     "requires",      "return",      "short",
                                     "signed",        "sizeof",      "static",
                                     "static_assert", "static_cast", "struct",
                                     "switch",        "template",    "this",
                                     "thread_local",  "throw",       "true",
                                     "try",           "typedef",     "typeid",
                                     "typename",      "union",       "unsigned",
                                     "using",         "virtual",     "void",
                                     "volatile",      "wchar_t",     "while",
                                     "xor",           "xor_eq",      "main",
                                     "std",           "NULL"});

constexpr auto macros = std::to_array<std::string_view>(
    {"FP_NAN",   "FP_INFINITE", "FP_ZERO", "FP_SUBNORMAL", "FP_NORMAL",   "M_E",      "M_LOG2E",
     "M_LOG10E", "M_LN2",       "M_LN10",  "M_PI",         "M_PI_2",      "M_PI_4",   "M_1_PI",
     "M_2_PI",   "M_2_SQRTPI",  "M_SQRT2", "M_SQRT1_2",    "NAN",         "INFINITY", "HUGE_VAL",
     "INT_MAX",  "INT_MIN",     "DBL_MAX", "DBL_MIN",      "DBL_EPSILON", "EOF"});

bool among(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Templates of <cmath>.
bool is_template(std::string_view name) {
  return name == "abs" || name == "isnan" || name == "isinf" || name == "isfinite" ||
         name == "fpclassify" || name == "isnormal";
}

}  // namespace

bool is_keyword(std::string_view name) {
  return among(keywords, name) && name != "main" && name != "std" && name != "NULL";
}

bool is_reserved_for_functions(std::string_view name) {
  return among(keywords, name) || among(macros, name) || name.starts_with("op2_") ||
         name.starts_with("__");
}

bool is_reserved(std::string_view name) {
  return is_reserved_for_functions(name) || may_be_called(name) || is_template(name) ||
         is_consistent_mathematics(name);
}

}  // namespace op2::jit
