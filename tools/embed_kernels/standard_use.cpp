// SPDX-License-Identifier: BSD-3-Clause
#include "standard_use.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

#include <clang/AST/DeclCXX.h>
#include <fmt/format.h>

#include <jit/llvm/math_names.hpp>

namespace op2::embed {
namespace {

using Builtin = clang::BuiltinType;

bool is_one(const auto& list, std::string_view name) {
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
      {"modf", {{"double", "double*"}}},
      {"lrint", {{"double"}, "long"}},
      {"lround", {{"double"}, "long"}},
      {"llrint", {{"double"}, "long long"}},
      {"llround", {{"double"}, "long long"}}};
  if (is_one(jit::unary_functions, name)) return Signature{{"double"}};
  if (is_one(jit::binary_functions, name)) return Signature{{"double", "double"}};
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
    const auto wanted = function.getParamDecl(i)->getType().getCanonicalType();
    const auto given = call.getArg(i)->IgnoreParenImpCasts()->getType().getCanonicalType();
    if (wanted->isArithmeticType() && given->isArithmeticType() &&
        wanted.getUnqualifiedType() != given.getUnqualifiedType())
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

const char* header_of_library_function(std::string_view name) {
  constexpr std::array memory{"memcpy", "memmove", "memset", "memcmp", "strlen"};
  constexpr std::array templates{"min", "max", "clamp", "swap"};
  constexpr std::array predicates{"isnan", "isinf", "isfinite", "signbit"};
  constexpr std::array output{"printf", "puts"};
  if (is_one(memory, name)) return "cstring";
  if (is_one(templates, name)) return "algorithm";
  if (is_one(predicates, name)) return "cmath";
  if (is_one(output, name)) return "cstdio";
  return nullptr;
}

bool is_wanted_method(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  if (method == nullptr || method->getParent()->getIdentifier() == nullptr) return false;
  const auto name = method->getParent()->getName();
  return name == "numeric_limits" || name == "initializer_list";
}

}  // namespace

std::optional<StandardUse> standard_function(const clang::FunctionDecl& function,
                                             const clang::CallExpr* call,
                                             const clang::ASTContext&) {
  if (is_wanted_method(function)) return StandardUse{};
  if (function.getIdentifier() == nullptr) return std::nullopt;
  const std::string_view name = function.getName();
  if (name.starts_with("__builtin_")) return StandardUse{};
  if (name == "__assert_fail") return StandardUse{"cassert", {}, {}};
  if (name == "abs") return absolute_value(function, call);
  if (signature_of(name)) return mathematical(name, function, call);
  const std::string_view base = name.substr(0, name.size() - 1);
  if (name.ends_with('f') && signature_of(base))
    return StandardUse{"cmath", fmt::format("std::{}", name), {}};
  if (const char* header = header_of_library_function(name))
    return StandardUse{header, fmt::format("std::{}", name), {}};
  return std::nullopt;
}

std::optional<StandardUse> standard_type(const clang::NamedDecl& type,
                                         const clang::ASTContext& context) {
  static const std::map<std::string_view, const char*> known{
      {"size_t", "cstddef"},        {"ptrdiff_t", "cstddef"},
      {"int8_t", "cstdint"},        {"uint8_t", "cstdint"},
      {"int16_t", "cstdint"},       {"uint16_t", "cstdint"},
      {"int32_t", "cstdint"},       {"uint32_t", "cstdint"},
      {"int64_t", "cstdint"},       {"uint64_t", "cstdint"},
      {"intptr_t", "cstdint"},      {"uintptr_t", "cstdint"},
      {"numeric_limits", "limits"}, {"initializer_list", "initializer_list"}};
  if (type.getIdentifier() == nullptr) return std::nullopt;
  const auto found = known.find(type.getName());
  if (found != known.end()) return StandardUse{found->second, {}, {}};
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

}  // namespace op2::embed
