// SPDX-License-Identifier: BSD-3-Clause
#include "names.hpp"

#include <clang/AST/DeclTemplate.h>
#include <llvm/Support/raw_ostream.h>

namespace op2::embed {

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
