// SPDX-License-Identifier: BSD-3-Clause
#include "standard_use.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include <clang/AST/DeclCXX.h>
#include <fmt/format.h>

#include <jit/math_names.hpp>

namespace op2::embed {
namespace {

// Names of the standard library that kernels have besides the functions of mathematics: those of
// src/jit/kernel_library. Whether kernels have the overload that a program calls, the compilation
// of the embedded source finds out. The headers are null if kernels do not have the name.

using Names = std::span<const std::string_view>;

struct Header {
  const char* name;
  Names contents;
};

constexpr std::array<std::string_view, 26> algorithms{
    "min",         "max",         "minmax",         "clamp",     "copy",    "copy_n",    "fill",
    "fill_n",      "transform",   "for_each",       "find",      "find_if", "count",     "count_if",
    "all_of",      "any_of",      "none_of",        "equal",     "reverse", "iter_swap", "sort",
    "min_element", "max_element", "minmax_element", "is_sorted", "swap"};
constexpr std::array<std::string_view, 10> numerics{
    "accumulate",          "reduce", "inner_product", "transform_reduce", "iota", "partial_sum",
    "adjacent_difference", "gcd",    "lcm",           "midpoint"};
constexpr std::array<std::string_view, 8> utilities{"make_pair", "get",   "move", "forward",
                                                    "exchange",  "begin", "end",  "size"};
constexpr std::array<std::string_view, 6> complex_functions{"real", "imag", "norm",
                                                            "conj", "arg",  "polar"};
constexpr std::array<std::string_view, 6> predicates{"isnan",   "isinf",    "isfinite",
                                                     "signbit", "isnormal", "fpclassify"};
constexpr std::array<std::string_view, 5> memory{"memcpy", "memmove", "memset", "memcmp", "strlen"};
constexpr std::array<std::string_view, 2> output{"printf", "puts"};

constexpr std::array templates{Header{"algorithm", algorithms}, Header{"numeric", numerics},
                               Header{"utility", utilities}, Header{"complex", complex_functions}};
constexpr std::array c_functions{Header{"cmath", predicates}, Header{"cstring", memory},
                                 Header{"cstdio", output}};

constexpr std::array<std::string_view, 1> limits{"numeric_limits"}, lists{"initializer_list"},
    pairs{"pair"}, arrays{"array"}, complex_numbers{"complex"};
constexpr std::array<std::string_view, 5> operations{"plus", "minus", "multiplies", "less",
                                                     "greater"};

constexpr std::array classes{Header{"limits", limits},           Header{"initializer_list", lists},
                             Header{"utility", pairs},           Header{"array", arrays},
                             Header{"complex", complex_numbers}, Header{"functional", operations}};

const char* header_of(std::span<const Header> headers, std::string_view name) {
  for (const Header& header : headers)
    if (std::ranges::find(header.contents, name) != header.contents.end()) return header.name;
  return nullptr;
}

/// Of a function or function template that is in namespace std only.
const char* header_of_template(std::string_view name) {
  return header_of(templates, name);
}

/// Of a function that C has too.
const char* header_of_c_function(std::string_view name) {
  return header_of(c_functions, name);
}

/// Of a class or class template in namespace std.
const char* header_of_class(std::string_view name) {
  return header_of(classes, name);
}

using Builtin = clang::BuiltinType;

bool is_among(const auto& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// Parameter and result types of a mathematical function of doubles.
struct Signature {
  std::vector<std::string_view> parameters;
  std::string_view result = "double";
};

std::optional<Signature> signature_of(std::string_view name) {
  static const std::map<std::string_view, Signature> others{
      {"fma", {{"double", "double", "double"}}},
      {"frexp", {{"double", "int*"}}},
      {"ldexp", {{"double", "int"}}},
      {"scalbn", {{"double", "int"}}},
      {"ilogb", {{"double"}, "int"}},
      {"modf", {{"double", "double*"}}},
      {"lrint", {{"double"}, "long"}},
      {"lround", {{"double"}, "long"}},
      {"llrint", {{"double"}, "long long"}},
      {"llround", {{"double"}, "long long"}}};
  if (is_among(jit::unary_functions, name)) return Signature{{"double"}};
  if (is_among(jit::binary_functions, name)) return Signature{{"double", "double"}};
  const auto found = others.find(name);
  return found != others.end() ? std::optional(found->second) : std::nullopt;
}

/// `inline double sqrt_double(double a0) { return std::sqrt(a0); }`: it converts its arguments as
/// the C function would.
StandardUse through_helper(std::string_view name, const Signature& signature) {
  StandardUse use{"cmath", fmt::format("{}_double", name), {}};
  std::string parameters, values;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const char* comma = i > 0 ? ", " : "";
    parameters += fmt::format("{}{} a{}", comma, signature.parameters[i], i);
    values += fmt::format("{}a{}", comma, i);
  }
  use.helper = fmt::format("inline {} {}({}) {{ return std::{}({}); }}\n", signature.result,
                           use.replacement, parameters, name, values);
  return use;
}

bool is_builtin(clang::QualType type, Builtin::Kind kind) {
  return type->isSpecificBuiltinType(kind);
}

/// Whether the call converts an argument from one arithmetic type to another.
bool converts(const clang::FunctionDecl& function, const clang::CallExpr& call) {
  const unsigned count = std::min(function.getNumParams(), call.getNumArgs());
  for (unsigned i = 0; i < count; ++i) {
    const auto parameter = function.getParamDecl(i)->getType().getCanonicalType();
    const auto argument = call.getArg(i)->IgnoreParenImpCasts()->getType().getCanonicalType();
    if (parameter->isArithmeticType() && argument->isArithmeticType() &&
        parameter.getUnqualifiedType() != argument.getUnqualifiedType())
      return true;
  }
  return false;
}

bool uses_long_double(const clang::FunctionDecl& function) {
  const auto is_it = [](clang::QualType type) { return is_builtin(type, Builtin::LongDouble); };
  return is_it(function.getReturnType()) ||
         std::any_of(function.param_begin(), function.param_end(),
                     [&](const auto* parameter) { return is_it(parameter->getType()); });
}

/// @param name  of the function of doubles
std::optional<StandardUse> mathematical(std::string_view name, const clang::FunctionDecl& function,
                                        const clang::CallExpr* call) {
  if (uses_long_double(function)) return std::nullopt;
  const bool overloaded = function.isInStdNamespace();  // overload resolution has chosen it
  if (overloaded || call == nullptr || !converts(function, *call))
    return StandardUse{"cmath", fmt::format("std::{}", name), {}};
  return through_helper(name, *signature_of(name));
}

std::optional<StandardUse> absolute_value(const clang::FunctionDecl& function,
                                          const clang::CallExpr* call) {
  if (uses_long_double(function)) return std::nullopt;
  if (function.isInStdNamespace() || call == nullptr || !converts(function, *call))
    return StandardUse{"cmath", "std::abs", {}};
  if (!is_builtin(function.getReturnType(), Builtin::Int)) return std::nullopt;
  return StandardUse{"cmath", "abs_int", "inline int abs_int(int a) { return a < 0 ? -a : a; }\n"};
}

/// The name of the class in namespace std of which the function is a member; empty: of none.
std::string_view standard_class_of(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  if (method == nullptr || method->getParent()->getIdentifier() == nullptr) return {};
  if (!method->getParent()->isInStdNamespace()) return {};
  return method->getParent()->getName();
}

/// Whether it is a constant of <numbers>, or the template of one.
bool is_constant_of_numbers(const clang::NamedDecl& declaration) {
  const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(declaration.getDeclContext());
  return space != nullptr && space->getName() == "numbers" && space->isInStdNamespace();
}

/// An operator on values of a class that kernels have, such as `complex + complex`.
std::optional<StandardUse> standard_operator(const clang::FunctionDecl& function) {
  for (const clang::ParmVarDecl* parameter : function.parameters()) {
    const auto* type = parameter->getType().getNonReferenceType()->getAsCXXRecordDecl();
    if (type == nullptr || type->getIdentifier() == nullptr || !type->isInStdNamespace()) continue;
    if (const char* header = header_of_class(type->getName())) return StandardUse{header, {}, {}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<StandardUse> standard_function(const clang::FunctionDecl& function,
                                             const clang::CallExpr* call,
                                             const clang::ASTContext&) {
  if (const char* header = header_of_class(standard_class_of(function)))
    return StandardUse{header, {}, {}};
  if (function.getIdentifier() == nullptr) return standard_operator(function);
  const std::string_view name = function.getName();
  if (name.starts_with("__builtin_")) return StandardUse{};
  // Other libraries in the folders of the standard library have functions of the same names.
  if (!function.isInStdNamespace() && !function.isExternC()) return std::nullopt;
  if (name == "__assert_fail") return StandardUse{"cassert", {}, {}};
  if (name == "abs") return absolute_value(function, call);
  if (signature_of(name)) return mathematical(name, function, call);
  const std::string_view base = name.substr(0, name.size() - 1);
  if (name.ends_with('f') && signature_of(base))
    return StandardUse{"cmath", fmt::format("std::{}", name), {}};
  const char* header = function.isInStdNamespace() ? header_of_template(name) : nullptr;
  if (header == nullptr) header = header_of_c_function(name);
  if (header != nullptr) return StandardUse{header, fmt::format("std::{}", name), {}};
  return std::nullopt;
}

std::optional<StandardUse> standard_type(const clang::NamedDecl& type,
                                         const clang::ASTContext& context) {
  static const std::map<std::string_view, const char*> integers{
      {"size_t", "cstddef"},   {"ptrdiff_t", "cstddef"}, {"int8_t", "cstdint"},
      {"uint8_t", "cstdint"},  {"int16_t", "cstdint"},   {"uint16_t", "cstdint"},
      {"int32_t", "cstdint"},  {"uint32_t", "cstdint"},  {"int64_t", "cstdint"},
      {"uint64_t", "cstdint"}, {"intptr_t", "cstdint"},  {"uintptr_t", "cstdint"}};
  if (type.getIdentifier() == nullptr) return std::nullopt;
  if (is_constant_of_numbers(type)) return StandardUse{"numbers", {}, {}};
  if (type.isInStdNamespace())
    if (const char* header = header_of_class(type.getName())) return StandardUse{header, {}, {}};
  const auto found = integers.find(type.getName());
  if (found != integers.end()) return StandardUse{found->second, {}, {}};
  const auto* alias = llvm::dyn_cast<clang::TypedefNameDecl>(&type);
  if (alias == nullptr || !alias->getDeclContext()->getRedeclContext()->isTranslationUnit())
    return std::nullopt;
  const auto meaning = alias->getUnderlyingType().getCanonicalType();
  if (!meaning->isBuiltinType()) return std::nullopt;
  return StandardUse{
      {},
      {},
      fmt::format("typedef {} {};\n", meaning.getAsString(context.getPrintingPolicy()),
                  std::string_view(type.getName()))};
}

std::optional<StandardUse> standard_variable(const clang::VarDecl& variable) {
  if (!is_constant_of_numbers(variable)) return std::nullopt;
  return StandardUse{
      "numbers", fmt::format("std::numbers::{}", std::string_view(variable.getName())), {}};
}

}  // namespace op2::embed
