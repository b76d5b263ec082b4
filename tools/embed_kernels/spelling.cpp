// SPDX-License-Identifier: BSD-3-Clause
#include "spelling.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <clang/AST/APValue.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

#include <jit/kernel_library/kernel_headers.hpp>
#include <jit/llvm/versions.hpp>
#include <jit/math_names.hpp>

namespace op2::embed {
namespace {

std::string integer(const llvm::APSInt& value, clang::QualType type) {
  if (type->isBooleanType()) return value.getBoolValue() ? "true" : "false";
  const char* suffix = type->isUnsignedIntegerType() ? "ULL" : value.getBitWidth() > 32 ? "LL" : "";
  if (value.isSigned() && value.isMinSignedValue() && value.getBitWidth() >= 32)
    return fmt::format("-{}{} - 1",
                       llvm::toString(llvm::APSInt::getMaxValue(value.getBitWidth(), false), 10),
                       suffix);
  return llvm::toString(value, 10) + suffix;
}

std::string real(const llvm::APFloat& value, clang::QualType type) {
  const bool single = type->isSpecificBuiltinType(clang::BuiltinType::Float);
  const char* sign = value.isNegative() ? "-" : "";
  if (value.isNaN()) return fmt::format("{}__builtin_nan{}(\"\")", sign, single ? "f" : "");
  if (value.isInfinity()) return fmt::format("{}__builtin_huge_val{}()", sign, single ? "f" : "");
  char digits[64];
  value.convertToHexString(digits, 0, false, llvm::APFloat::rmNearestTiesToEven);
  return std::string(digits) + (single ? "f" : "");
}

/// An initialiser; nothing if it contains anything but numbers.
std::optional<std::string> initialiser(const clang::APValue& value, clang::QualType type,
                                       const clang::ASTContext& context) {
  if (value.isInt()) return integer(value.getInt(), type);
  if (value.isFloat()) return real(value.getFloat(), type);
  const auto* array = context.getAsArrayType(type);
  if (!value.isArray() || array == nullptr) return std::nullopt;
  std::string list;
  const unsigned initialised = value.getArrayInitializedElts();
  for (unsigned i = 0; i < value.getArraySize(); ++i) {
    const auto& element =
        i < initialised ? value.getArrayInitializedElt(i) : value.getArrayFiller();
    const auto text = initialiser(element, array->getElementType(), context);
    if (!text) return std::nullopt;
    list += (i > 0 ? ", " : "") + *text;
  }
  return "{" + list + "}";
}

/// Of the innermost elements, with their qualifiers.
clang::QualType element_type(const clang::VarDecl& variable) {
  return variable.getASTContext().getBaseElementType(variable.getType()).getCanonicalType();
}

bool is_number(clang::QualType type) {
  return type->isBuiltinType() && type->isArithmeticType() &&
         !type->isSpecificBuiltinType(clang::BuiltinType::LongDouble);
}

bool is_constant(const clang::VarDecl& variable) {
  if (variable.isConstexpr()) return true;
  const auto type = element_type(variable);
  return type.isConstQualified() && !type.isVolatileQualified();
}

const clang::APValue* value_of(const clang::VarDecl& variable) {
  const clang::VarDecl* definition = nullptr;
  const auto* init = variable.getAnyInitializer(definition);
  if (init == nullptr || init->isValueDependent() || init->containsErrors()) return nullptr;
  return definition->evaluateValue();
}

/// Why a variable that is not a constant cannot be bound; empty: it can.
std::string bind_fault(const clang::VarDecl& variable) {
  const auto name = variable.getQualifiedNameAsString();
  if (variable.getTLSKind() != clang::VarDecl::TLS_None)
    return fmt::format("uses the thread-local variable '{}'", name);
  if (element_type(variable).isVolatileQualified())
    return fmt::format("uses the volatile variable '{}'", name);
  if (variable.getType()->isReferenceType() || !is_number(element_type(variable)))
    return fmt::format(
        "uses the variable '{}' of type '{}', which is not a number or an array of numbers", name,
        variable.getType().getAsString());
  if (variable.getType()->isIncompleteType())
    return fmt::format("uses the array '{}', whose size is unknown in this unit", name);
  if (!is_accessible(variable)) return fmt::format("uses the private variable '{}'", name);
  return {};
}

}  // namespace

ConstantForm form_of(const clang::VarDecl& variable, const clang::ASTContext& context) {
  using Form = ConstantForm::Kind;
  const auto* value = is_constant(variable) ? value_of(variable) : nullptr;
  const bool number = is_number(element_type(variable));
  if (value != nullptr && !number) return {Form::as_written, {}};
  if (value != nullptr && variable.isStaticDataMember() && variable.getFirstDecl()->hasInit())
    return {Form::as_written, {}};
  if (value != nullptr && !variable.isStaticDataMember()) {
    const auto type = variable.getType().getCanonicalType();
    if (const auto init = initialiser(*value, type, context)) {
      const std::string name = variable.getNameAsString();
      return {Form::value,
              fmt::format("constexpr {} = {};", declaration_of(variable, name, context), *init)};
    }
  }
  const auto fault = bind_fault(variable);
  return fault.empty() ? ConstantForm{Form::bound, {}} : ConstantForm{Form::none, fault};
}

std::string name_in_source(const clang::VarDecl& variable) {
  std::string name = variable.getNameAsString();
  for (const auto* scope = variable.getDeclContext(); scope != nullptr;
       scope = scope->getParent()) {
    const auto* named = llvm::dyn_cast<clang::NamedDecl>(scope);
    if (named == nullptr) continue;
    const std::string outer = named->getNameAsString();
    if (!outer.empty()) name = outer + "_" + name;
  }
  return name;
}

std::string declaration_of(const clang::VarDecl& variable, const std::string& name,
                           const clang::ASTContext& context) {
  const auto* complete = variable.getMostRecentDecl();
  auto type = complete->getType().getCanonicalType();
  std::string sizes;
  while (const auto* array = context.getAsConstantArrayType(type)) {
    sizes += fmt::format("[{}]", array->getSize().getZExtValue());
    type = array->getElementType().getCanonicalType();
  }
  return fmt::format("{} {}{}", type.getUnqualifiedType().getAsString(context.getPrintingPolicy()),
                     name, sizes);
}

bool is_accessible(const clang::NamedDecl& declaration) {
  const clang::Decl* scope = &declaration;
  while (scope != nullptr) {
    if (scope->getAccess() == clang::AS_private || scope->getAccess() == clang::AS_protected)
      return false;
    if (scope->getParentFunctionOrMethod() != nullptr) return false;
    scope = llvm::dyn_cast_or_null<clang::Decl>(
        llvm::dyn_cast_or_null<clang::RecordDecl>(scope->getDeclContext()));
  }
  return true;
}

clang::PrintingPolicy names_policy(const clang::ASTContext& context) {
  clang::PrintingPolicy policy(context.getLangOpts());
  policy.SuppressUnwrittenScope = true;
  policy.FullyQualifiedName = true;
  jit::print_canonical_types(policy);
  policy.SuppressTagKeyword = true;
  policy.Bool = true;
  return policy;
}

std::string full_name(const clang::NamedDecl& declaration) {
  const auto policy = names_policy(declaration.getASTContext());
  std::string name = "::";
  llvm::raw_string_ostream out(name);
  declaration.printQualifiedName(out, policy);
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration);
  if (function != nullptr && function->getTemplateSpecializationArgs() != nullptr) {
    clang::printTemplateArgumentList(out, function->getTemplateSpecializationArgs()->asArray(),
                                     policy);
  }
  return out.str();
}

std::string pointer_type(const clang::FunctionDecl& function) {
  const auto& context = function.getASTContext();
  return context.getPointerType(function.getType().getCanonicalType())
      .getAsString(names_policy(context));
}

std::string forwarding_function(const std::string& head, const clang::FunctionDecl& function,
                                const std::string& callee) {
  std::string parameters, values;
  const auto policy = names_policy(function.getASTContext());
  for (unsigned i = 0; i < function.getNumParams(); ++i) {
    std::string parameter = fmt::format("a{}", i);
    values += (i > 0 ? ", " : "") + parameter;
    function.getParamDecl(i)->getType().getCanonicalType().getAsStringInternal(parameter, policy);
    parameters += (i > 0 ? ", " : "") + parameter;
  }
  return fmt::format("{}({}) {{ return {}({}); }}", head, parameters, callee, values);
}

namespace {

// Names of the standard library that kernels have: those that src/jit/kernel_library declares.
// Whether it has the overload that a program calls, the compilation of the embedded source finds
// out.

constexpr std::array templates{"algorithm", "numeric", "utility", "complex"};
constexpr std::array mathematics{"math.h", "op2_other_math"};
constexpr std::array c_functions{"string.h", "stdio.h"};
constexpr std::array sizes{"stddef.h"};
constexpr std::array integers{"op2_stdint"};
constexpr std::array classes{"limits", "initializer_list", "utility",
                             "array",  "complex",          "functional"};

/// The first of the headers that contains the text, as programs include it; empty: none does.
std::string header_with(std::span<const char* const> headers, const std::string& text) {
  for (const std::string_view header : headers)
    for (const jit::KernelHeader& known : jit::kernel_headers())
      if (known.name == header && std::string_view(known.text).find(text) != std::string::npos)
        return header.ends_with(".h") ? fmt::format("c{}", header.substr(0, header.size() - 2))
                                      : std::string(header);
  return {};
}

std::string header_of(std::span<const char* const> headers, std::string_view function) {
  return header_with(headers, fmt::format(" {}(", function));
}

/// What uses a class or class template in namespace std; nothing: kernels do not have it.
std::optional<StandardUse> use_of_class(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const char* kind : {"struct", "class"})
    if (auto header = header_with(classes, fmt::format("{} {} ", kind, name)); !header.empty())
      return StandardUse{std::move(header), {}, {}};
  return std::nullopt;
}

/// Whether it is a mathematical function that is not only of floats.
bool is_mathematical(std::string_view name) {
  const auto is_among = [&](const auto& list) {
    return std::ranges::find(list, name) != list.end();
  };
  return is_among(jit::unary_functions) || is_among(jit::binary_functions) ||
         !header_of(mathematics, name).empty();
}

/// `inline double sqrt_double(double a0) { return std::sqrt(a0); }`: it converts its arguments as
/// the C function would.
StandardUse through_helper(const clang::FunctionDecl& function) {
  const std::string name = function.getNameAsString();
  StandardUse use{"cmath", name + "_double", {}};
  const auto result = function.getReturnType().getAsString(names_policy(function.getASTContext()));
  use.helper = forwarding_function(fmt::format("inline {} {}", result, use.replacement), function,
                                   "std::" + name) +
               "\n";
  return use;
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
  const auto is_it = [](clang::QualType type) {
    return type->isSpecificBuiltinType(clang::BuiltinType::LongDouble);
  };
  return is_it(function.getReturnType()) ||
         std::any_of(function.param_begin(), function.param_end(),
                     [&](const auto* parameter) { return is_it(parameter->getType()); });
}

std::optional<StandardUse> mathematical(std::string_view name, const clang::FunctionDecl& function,
                                        const clang::CallExpr* call) {
  if (uses_long_double(function)) return std::nullopt;
  const bool overloaded = function.isInStdNamespace();  // overload resolution has chosen it
  if (overloaded || call == nullptr || !converts(function, *call))
    return StandardUse{"cmath", fmt::format("std::{}", name), {}};
  return through_helper(function);
}

std::optional<StandardUse> absolute_value(const clang::FunctionDecl& function,
                                          const clang::CallExpr* call) {
  if (uses_long_double(function)) return std::nullopt;
  if (function.isInStdNamespace() || call == nullptr || !converts(function, *call))
    return StandardUse{"cmath", "std::abs", {}};
  if (!function.getReturnType()->isSpecificBuiltinType(clang::BuiltinType::Int))
    return std::nullopt;
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
    if (auto use = use_of_class(type->getName())) return use;
  }
  return std::nullopt;
}

}  // namespace

std::optional<StandardUse> standard_function(const clang::FunctionDecl& function,
                                             const clang::CallExpr* call) {
  if (auto use = use_of_class(standard_class_of(function))) return use;
  if (function.getIdentifier() == nullptr) return standard_operator(function);
  const std::string_view name = function.getName();
  if (name.starts_with("__builtin_")) return StandardUse{};
  // Other libraries in the folders of the standard library have functions of the same names.
  if (!function.isInStdNamespace() && !function.isExternC()) return std::nullopt;
  if (name == "__assert_fail") return StandardUse{"cassert", {}, {}};
  if (name == "abs") return absolute_value(function, call);
  if (is_mathematical(name)) return mathematical(name, function, call);
  const std::string_view base = name.substr(0, name.size() - 1);
  if (name.ends_with('f') && is_mathematical(base))
    return StandardUse{"cmath", fmt::format("std::{}", name), {}};
  std::string header = function.isInStdNamespace() ? header_of(templates, name) : std::string();
  if (header.empty()) header = header_of(c_functions, name);
  if (!header.empty()) return StandardUse{header, fmt::format("std::{}", name), {}};
  return std::nullopt;
}

std::optional<StandardUse> standard_type(const clang::NamedDecl& type,
                                         const clang::ASTContext& context) {
  if (type.getIdentifier() == nullptr) return std::nullopt;
  if (is_constant_of_numbers(type)) return StandardUse{"numbers", {}, {}};
  if (type.isInStdNamespace())
    if (auto use = use_of_class(type.getName())) return use;
  const std::string typedef_end = fmt::format(" {};", std::string_view(type.getName()));
  if (auto header = header_with(sizes, typedef_end); !header.empty())
    return StandardUse{std::move(header), {}, {}};
  if (!header_with(integers, typedef_end).empty()) return StandardUse{"cstdint", {}, {}};
  const auto* alias = llvm::dyn_cast<clang::TypedefNameDecl>(&type);
  if (alias == nullptr || !alias->getDeclContext()->getRedeclContext()->isTranslationUnit())
    return std::nullopt;
  const auto builtin = alias->getUnderlyingType().getCanonicalType();
  if (!builtin->isBuiltinType()) return std::nullopt;
  return StandardUse{
      {},
      {},
      fmt::format("typedef {} {};\n", builtin.getAsString(context.getPrintingPolicy()),
                  std::string_view(type.getName()))};
}

std::optional<StandardUse> standard_variable(const clang::VarDecl& variable) {
  if (!is_constant_of_numbers(variable)) return std::nullopt;
  return StandardUse{
      "numbers", fmt::format("std::numbers::{}", std::string_view(variable.getName())), {}};
}

}  // namespace op2::embed
