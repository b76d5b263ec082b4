// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/source_check.hpp>

#include <set>
#include <string>

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <jit/consistent_names.hpp>
#include <jit/math_names.hpp>
#include <jit/source_rules.hpp>

namespace op2::jit {
namespace {

using clang::DiagnosticsEngine;

class SourceCheck : public clang::RecursiveASTVisitor<SourceCheck> {
 public:
  explicit SourceCheck(DiagnosticsEngine& messages) : messages_(messages) {}

  bool VisitVarDecl(clang::VarDecl* variable) {
    const bool changes = variable->isStaticLocal() && !variable->isConstexpr() &&
                         !variable->getType().isConstQualified();
    if (changes) note_state(*variable, variable->getLocation());
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator* operation) {
    if (operation->isAssignmentOp()) note_change(*operation->getLHS());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* operation) {
    if (operation->isIncrementDecrementOp()) note_change(*operation->getSubExpr());
    return true;
  }

  bool VisitCXXNewExpr(clang::CXXNewExpr* made) {
    const auto* function = made->getOperatorNew();
    if (function == nullptr || function->isReplaceableGlobalAllocationFunction())
      report(DiagnosticsEngine::Error, made->getBeginLoc(), allocates);
    return true;
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* freed) {
    return report(DiagnosticsEngine::Error, freed->getBeginLoc(), allocates);
  }
  bool VisitCXXMethodDecl(clang::CXXMethodDecl* method) {
    if (method->isVirtual() && method->isFirstDecl())
      report(DiagnosticsEngine::Error, method->getLocation(), is_virtual);
    return true;
  }
  bool VisitAsmStmt(clang::AsmStmt* assembly) {
    return report(DiagnosticsEngine::Warning, assembly->getAsmLoc(), has_assembly);
  }
  bool VisitFileScopeAsmDecl(clang::FileScopeAsmDecl* assembly) {
    return report(DiagnosticsEngine::Warning, assembly->getAsmLoc(), has_assembly);
  }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (!function->isThisDeclarationADefinition() || !function->isExternC()) return true;
    const std::string name = function->getNameAsString();
    if (may_be_called(name) || is_consistent_mathematics(name) || function->getBuiltinID() != 0)
      report(DiagnosticsEngine::Error, function->getLocation(), redefines(name));
    return true;
  }

 private:
  /// What is changed, if it is a variable or a part of one.
  void note_change(const clang::Expr& changed) {
    const clang::Expr* whole = changed.IgnoreParenImpCasts();
    for (;;) {
      if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(whole);
          member != nullptr && !member->isArrow())
        whole = member->getBase()->IgnoreParenImpCasts();
      else if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(whole);
               element != nullptr &&
               element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
        whole = element->getBase()->IgnoreParenImpCasts();
      else
        break;
    }
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(whole);
    const auto* variable =
        name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    const bool outlives = variable != nullptr && variable->hasGlobalStorage() &&
                          !variable->getType()->isReferenceType();
    if (outlives) note_state(*variable, changed.getBeginLoc());
  }

  void note_state(const clang::VarDecl& variable, clang::SourceLocation place) {
    if (known_.insert(variable.getCanonicalDecl()).second)
      report(DiagnosticsEngine::Warning, place, keeps_state(variable.getNameAsString()));
  }

  bool report(DiagnosticsEngine::Level level, clang::SourceLocation place,
              const std::string& text) {
    messages_.Report(place, messages_.getDiagnosticIDs()->getCustomDiagID(
                                static_cast<clang::DiagnosticIDs::Level>(level), text));
    return true;
  }

  DiagnosticsEngine& messages_;
  std::set<const clang::VarDecl*> known_;
};

}  // namespace

void check_source(const clang::Decl& declaration, DiagnosticsEngine& messages) {
  SourceCheck(messages).TraverseDecl(const_cast<clang::Decl*>(&declaration));
}

}  // namespace op2::jit
