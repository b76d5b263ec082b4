// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/access/access_syntax.hpp>

#include <algorithm>

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/Builtins.h>
#include <llvm/ADT/FoldingSet.h>

namespace op2::jit {
namespace {

class SubsetCheck {
 public:
  explicit SubsetCheck(const clang::ASTContext& context) : context_(context) {}

  bool accepts(const clang::Stmt* statement) const {
    if (statement == nullptr) return true;
    if (llvm::isa<clang::LambdaExpr>(statement)) return true;
    if (const auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(statement))
      return accepts_range(*range);
    const auto* expression = llvm::dyn_cast<clang::Expr>(statement);
    if (!(expression != nullptr ? accepts_expression(*expression) : accepts_statement(*statement)))
      return false;
    return std::ranges::all_of(statement->children(),
                               [this](const clang::Stmt* child) { return accepts(child); });
  }

 private:
  /// @return whether its kind is followed, whatever is in it
  bool accepts_statement(const clang::Stmt& statement) const {
    if (const auto* group = llvm::dyn_cast<clang::DeclStmt>(&statement))
      return std::ranges::all_of(group->decls(), [this](const clang::Decl* declaration) {
        return accepts_declaration(*declaration);
      });
    if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(&statement))
      return loop->getConditionVariable() == nullptr;
    if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(&statement))
      return loop->getConditionVariable() == nullptr;
    return llvm::isa<clang::CompoundStmt, clang::IfStmt, clang::DoStmt, clang::SwitchStmt,
                     clang::SwitchCase, clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt,
                     clang::NullStmt, clang::AttributedStmt>(statement);
  }

  bool accepts_declaration(const clang::Decl& declaration) const {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
    if (variable == nullptr)
      return llvm::isa<clang::TypedefNameDecl, clang::StaticAssertDecl>(declaration);
    if (llvm::isa<clang::DecompositionDecl>(variable) ||
        variable->getType()->isVariablyModifiedType())
      return false;
    return variable->hasLocalStorage() ||
           (variable->getType().isConstQualified() && variable->hasConstantInitialization());
  }

  /// Only over built-in arrays: iterators of classes could do anything.
  bool accepts_range(const clang::CXXForRangeStmt& range) const {
    return range.getRangeInit()->getType()->isConstantArrayType() && accepts(range.getInit()) &&
           accepts(range.getRangeInit()) && accepts(range.getBody());
  }

  bool accepts_expression(const clang::Expr& expression) const {
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&expression)) return accepts_call(*call);
    if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&expression))
      return !operation->isPtrMemOp();
    if (const auto* trait = llvm::dyn_cast<clang::UnaryExprOrTypeTraitExpr>(&expression))
      return !trait->getTypeOfArgument()->isVariablyModifiedType();
    if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&expression))
      return !cast->getTypeAsWritten()->isVariablyModifiedType() &&
             llvm::isa<clang::CStyleCastExpr, clang::CXXFunctionalCastExpr,
                       clang::CXXStaticCastExpr, clang::CXXConstCastExpr>(cast);
    return llvm::isa<
        // Values.
        clang::IntegerLiteral, clang::FloatingLiteral, clang::CharacterLiteral,
        clang::StringLiteral, clang::CXXBoolLiteralExpr, clang::CXXNullPtrLiteralExpr,
        clang::GNUNullExpr, clang::ImplicitValueInitExpr, clang::CXXScalarValueInitExpr,
        clang::DeclRefExpr, clang::CXXNoexceptExpr, clang::TypeTraitExpr,
        // Operations.
        clang::UnaryOperator, clang::ArraySubscriptExpr, clang::MemberExpr,
        clang::ConditionalOperator, clang::ImplicitCastExpr, clang::InitListExpr,
        clang::CXXParenListInitExpr, clang::CXXConstructExpr, clang::CompoundLiteralExpr,
        // What only surrounds others.
        clang::ParenExpr, clang::FullExpr, clang::MaterializeTemporaryExpr,
        clang::CXXBindTemporaryExpr, clang::CXXDefaultArgExpr, clang::CXXDefaultInitExpr,
        clang::SubstNonTypeTemplateParmExpr>(expression);
  }

  /// Of a function that is named, and evaluates its arguments as usual.
  bool accepts_call(const clang::CallExpr& call) const {
    const auto* callee = call.getCallee()->IgnoreImpCasts();
    const auto* function = call.getDirectCallee();
    if (function == nullptr || !llvm::isa<clang::DeclRefExpr, clang::MemberExpr>(callee))
      return false;
    const unsigned builtin = function->getBuiltinID();
    return builtin == 0 ||
           !(context_.BuiltinInfo.isUnevaluated(builtin) ||
             context_.BuiltinInfo.hasCustomTypechecking(builtin) || has_own_rules(builtin));
  }

  static bool has_own_rules(unsigned builtin) {
    return builtin == clang::Builtin::BI__builtin_assume ||
           builtin == clang::Builtin::BI__builtin_is_constant_evaluated ||
           builtin == clang::Builtin::BI__builtin_unreachable;
  }

  const clang::ASTContext& context_;
};

}  // namespace

bool is_change(const clang::Expr* expression) {
  const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression);
  if (operation != nullptr) return operation->isAssignmentOp();
  const auto* step = llvm::dyn_cast<clang::UnaryOperator>(expression);
  return step != nullptr && step->isIncrementDecrementOp();
}

const clang::Expr* assignment_in(const clang::Expr* expression) {
  const auto* inner = bare(expression);
  if (!is_change(inner)) return nullptr;
  const auto* step = llvm::dyn_cast<clang::UnaryOperator>(inner);
  return step == nullptr || step->isPrefix() ? inner : nullptr;
}

const clang::Expr* target_of(const clang::Expr* change) {
  const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(change);
  return operation != nullptr ? operation->getLHS()
                              : llvm::cast<clang::UnaryOperator>(change)->getSubExpr();
}

const clang::VarDecl* named_variable(const clang::Expr* expression) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(bare(expression));
  return name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

bool is_same_text(const clang::Expr* a, const clang::Expr* b, const clang::ASTContext& context) {
  llvm::FoldingSetNodeID first, second;
  bare(a)->Profile(first, context, true);
  bare(b)->Profile(second, context, true);
  return first == second;
}

bool is_followed(const clang::FunctionDecl& function, const clang::ASTContext& context) {
  return SubsetCheck(context).accepts(function.getBody());
}

Number sum(Number a, Number b) {
  std::int64_t result = 0;
  return a && b && !__builtin_add_overflow(*a, *b, &result) ? Number(result) : std::nullopt;
}

Number result_of(clang::BinaryOperatorKind operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (operation) {
    case clang::BO_Add:
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : Number(result);
    case clang::BO_Sub:
      return __builtin_sub_overflow(a, b, &result) ? std::nullopt : Number(result);
    case clang::BO_Mul:
      return __builtin_mul_overflow(a, b, &result) ? std::nullopt : Number(result);
    case clang::BO_Div:
      return b > 0 ? Number(a / b) : std::nullopt;
    case clang::BO_Rem:
      return b > 0 ? Number(a % b) : std::nullopt;
    case clang::BO_LT:
      return a < b;
    case clang::BO_LE:
      return a <= b;
    case clang::BO_GT:
      return a > b;
    case clang::BO_GE:
      return a >= b;
    case clang::BO_EQ:
      return a == b;
    case clang::BO_NE:
      return a != b;
    case clang::BO_LAnd:
      return a != 0 && b != 0;
    case clang::BO_LOr:
      return a != 0 || b != 0;
    default:
      return std::nullopt;
  }
}

Number fitted(Number value, clang::QualType type, const clang::ASTContext& context) {
  if (!value || type->isDependentType()) return std::nullopt;
  const bool is_signed = type->isSignedIntegerOrEnumerationType();
  if (!is_signed && *value < 0) return std::nullopt;
  const auto bits = static_cast<int>(context.getIntWidth(type));
  const int digits = is_signed ? bits - 1 : bits;
  if (digits >= 63) return value;
  const std::int64_t limit = std::int64_t{1} << digits;
  return *value < limit && *value >= -limit ? value : std::nullopt;
}

}  // namespace op2::jit
