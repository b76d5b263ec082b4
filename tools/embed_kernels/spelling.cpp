// SPDX-License-Identifier: BSD-3-Clause
#include "spelling.hpp"

#include <algorithm>
#include <optional>

#include <clang/AST/APValue.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

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
  policy.PrintCanonicalTypes = true;
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

}  // namespace op2::embed
