// SPDX-License-Identifier: BSD-3-Clause
#include "standard_use.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include <clang/AST/DeclCXX.h>
#include <fmt/format.h>

#include <jit/math_names.hpp>

#include "standard_names.hpp"

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
      {"ilogb", {{"double"}, "int"}},
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

/// The name of the class in namespace std of which the function is a member; empty: of none.
std::string_view class_of(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  if (method == nullptr || method->getParent()->getIdentifier() == nullptr) return {};
  if (!method->getParent()->isInStdNamespace()) return {};
  return method->getParent()->getName();
}

/// Whether it is a constant of <numbers>, or the template of one.
bool is_number(const clang::NamedDecl& declaration) {
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
  if (const char* header = header_of_class(class_of(function))) return StandardUse{header, {}, {}};
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
  if (is_number(type)) return StandardUse{"numbers", {}, {}};
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
  if (!is_number(variable)) return std::nullopt;
  return StandardUse{
      "numbers", fmt::format("std::numbers::{}", std::string_view(variable.getName())), {}};
}

}  // namespace op2::embed
