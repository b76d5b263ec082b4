// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/syntax_visitor.hpp>

#include <clang/AST/ExprConcepts.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace op2::jit {

class SyntaxWalk : public clang::RecursiveASTVisitor<SyntaxWalk> {
  using Base = clang::RecursiveASTVisitor<SyntaxWalk>;

 public:
  explicit SyntaxWalk(SyntaxVisitor& visitor) : visitor_(visitor) {}

  bool shouldVisitTemplateInstantiations() const { return visitor_.visits_instances(); }
  bool shouldVisitImplicitCode() const { return visitor_.visits_implicit_code(); }

  bool TraverseDecl(clang::Decl* declaration) {
    const bool enters = declaration != nullptr && visitor_.enters(*declaration);
    return !enters || Base::TraverseDecl(declaration);
  }
  bool TraverseNestedNameSpecifierLoc(clang::NestedNameSpecifierLoc qualifier) {
    if (qualifier) visitor_.on_qualifier(qualifier);
    return Base::TraverseNestedNameSpecifierLoc(qualifier);
  }
  bool TraverseRequiresExpr(clang::RequiresExpr* requirement) {
    ++visitor_.requirements_;
    const bool goes_on = Base::TraverseRequiresExpr(requirement);
    --visitor_.requirements_;
    return goes_on;
  }

  bool VisitDecl(clang::Decl* declaration) {
    visitor_.on_declaration(*declaration);
    return true;
  }
  bool VisitStmt(clang::Stmt* statement) {
    visitor_.on_statement(*statement);
    return true;
  }
  bool VisitTypeLoc(clang::TypeLoc type) {
    visitor_.on_type(type);
    return true;
  }

 private:
  SyntaxVisitor& visitor_;
};

void SyntaxVisitor::walk(const clang::Decl& root) {
  SyntaxWalk(*this).TraverseDecl(const_cast<clang::Decl*>(&root));
}

}  // namespace op2::jit
