// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/access/access_subset.hpp>

#include <algorithm>

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/Builtins.h>

namespace op2::jit {
namespace {

using namespace clang;

class SubsetCheck {
 public:
  explicit SubsetCheck(const ASTContext& context) : context_(context) {}

  bool accepts(const Stmt* statement) const {
    if (statement == nullptr) return true;
    if (llvm::isa<LambdaExpr>(statement)) return true;
    if (const auto* range = llvm::dyn_cast<CXXForRangeStmt>(statement))
      return accepts_range(*range);
    const auto* expression = llvm::dyn_cast<Expr>(statement);
    if (!(expression != nullptr ? accepts_expression(*expression) : accepts_statement(*statement)))
      return false;
    return std::ranges::all_of(statement->children(),
                               [this](const Stmt* child) { return accepts(child); });
  }

 private:
  /// @return whether its kind is followed, whatever is in it
  bool accepts_statement(const Stmt& statement) const {
    if (const auto* group = llvm::dyn_cast<DeclStmt>(&statement))
      return std::ranges::all_of(group->decls(),
                                 [this](const Decl* each) { return accepts_declaration(*each); });
    if (const auto* loop = llvm::dyn_cast<ForStmt>(&statement))
      return loop->getConditionVariable() == nullptr;
    if (const auto* loop = llvm::dyn_cast<WhileStmt>(&statement))
      return loop->getConditionVariable() == nullptr;
    return llvm::isa<CompoundStmt, IfStmt, DoStmt, SwitchStmt, SwitchCase, BreakStmt, ContinueStmt,
                     ReturnStmt, NullStmt, AttributedStmt>(statement);
  }

  bool accepts_declaration(const Decl& declaration) const {
    const auto* variable = llvm::dyn_cast<VarDecl>(&declaration);
    if (variable == nullptr) return llvm::isa<TypedefNameDecl, StaticAssertDecl>(declaration);
    if (llvm::isa<DecompositionDecl>(variable) || variable->getType()->isVariablyModifiedType())
      return false;
    return variable->hasLocalStorage() ||
           (variable->getType().isConstQualified() && variable->hasConstantInitialization());
  }

  /// Only over built-in arrays: iterators of classes could do anything.
  bool accepts_range(const CXXForRangeStmt& range) const {
    return range.getRangeInit()->getType()->isConstantArrayType() && accepts(range.getInit()) &&
           accepts(range.getRangeInit()) && accepts(range.getBody());
  }

  bool accepts_expression(const Expr& expression) const {
    if (const auto* call = llvm::dyn_cast<CallExpr>(&expression)) return accepts_call(*call);
    if (const auto* operation = llvm::dyn_cast<BinaryOperator>(&expression))
      return !operation->isPtrMemOp();
    if (const auto* trait = llvm::dyn_cast<UnaryExprOrTypeTraitExpr>(&expression))
      return !trait->getTypeOfArgument()->isVariablyModifiedType();
    if (const auto* cast = llvm::dyn_cast<ExplicitCastExpr>(&expression))
      return !cast->getTypeAsWritten()->isVariablyModifiedType() &&
             llvm::isa<CStyleCastExpr, CXXFunctionalCastExpr, CXXStaticCastExpr, CXXConstCastExpr>(
                 cast);
    return llvm::isa<
        // Values.
        IntegerLiteral, FloatingLiteral, CharacterLiteral, clang::StringLiteral, CXXBoolLiteralExpr,
        CXXNullPtrLiteralExpr, GNUNullExpr, ImplicitValueInitExpr, CXXScalarValueInitExpr,
        DeclRefExpr, CXXNoexceptExpr, TypeTraitExpr,
        // Operations.
        UnaryOperator, ArraySubscriptExpr, MemberExpr, ConditionalOperator, ImplicitCastExpr,
        InitListExpr, CXXParenListInitExpr, CXXConstructExpr, CompoundLiteralExpr,
        // What only surrounds others.
        ParenExpr, FullExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr, CXXDefaultArgExpr,
        CXXDefaultInitExpr, SubstNonTypeTemplateParmExpr>(expression);
  }

  /// Of a function that is named, and evaluates its arguments as usual.
  bool accepts_call(const CallExpr& call) const {
    const auto* callee = call.getCallee()->IgnoreImpCasts();
    const auto* function = call.getDirectCallee();
    if (function == nullptr || !llvm::isa<DeclRefExpr, MemberExpr>(callee)) return false;
    const unsigned builtin = function->getBuiltinID();
    return builtin == 0 ||
           !(context_.BuiltinInfo.isUnevaluated(builtin) ||
             context_.BuiltinInfo.hasCustomTypechecking(builtin) || has_own_rules(builtin));
  }

  static bool has_own_rules(unsigned builtin) {
    return builtin == Builtin::BI__builtin_assume ||
           builtin == Builtin::BI__builtin_is_constant_evaluated ||
           builtin == Builtin::BI__builtin_unreachable;
  }

  const ASTContext& context_;
};

}  // namespace

bool is_followed(const clang::FunctionDecl& function, const clang::ASTContext& context) {
  return SubsetCheck(context).accepts(function.getBody());
}

}  // namespace op2::jit
