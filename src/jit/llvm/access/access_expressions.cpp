// SPDX-License-Identifier: BSD-3-Clause
// The effects of expressions on the data of arguments.
#include <utility>

#include <jit/llvm/access/access_syntax.hpp>
#include <jit/llvm/access/access_walk.hpp>

namespace op2::jit {
namespace {

/// Whether the children of an expression are evaluated once and unconditionally, if it is.
bool evaluates_children(const clang::Expr* expression) {
  return llvm::isa<clang::ParenExpr, clang::BinaryOperator, clang::UnaryOperator, clang::FullExpr,
                   clang::ArraySubscriptExpr, clang::MemberExpr, clang::InitListExpr,
                   clang::CXXConstructExpr, clang::MaterializeTemporaryExpr,
                   clang::CXXBindTemporaryExpr, clang::CXXParenListInitExpr,
                   clang::SubstNonTypeTemplateParmExpr, clang::CompoundLiteralExpr>(expression);
}

}  // namespace

void AccessWalk::evaluate(const clang::Expr* expression) {
  if (expression == nullptr || is_spent()) return;
  if (is_change(expression)) return evaluate_kept(*expression);
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression)) return evaluate_cast(*cast);
  if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression))
    return evaluate_binary(*operation);
  if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(expression))
    return evaluate_unary(*operation);
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(expression))
    return evaluate_branches(choice->getCond(), choice->getTrueExpr(), choice->getFalseExpr());
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(expression)) {
    evaluate_call(*call);
    return call->isGLValue() ? note_doubt(call) : void();  // it may name data of an argument
  }
  if (llvm::isa<clang::LambdaExpr, clang::StmtExpr>(expression)) {
    note_unsure(expression);
    return note_escape(expression);
  }
  if (llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr>(expression))
    return;  // sizeof
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression)) {
    // A reference or an array without a load: its address escapes.
    return mentions_data(name) ? note_unsure(name) : note_escape(name);
  }
  if (llvm::isa<clang::ArraySubscriptExpr>(expression)) {
    if (place(expression)) {
      follow_indices(expression);
      return note_unsure(expression);
    }
  }
  if (!evaluates_children(expression)) note_doubt(expression);
  evaluate_children(expression);
}

/// Evaluates an expression whose value is not used.
void AccessWalk::discard(const clang::Expr* expression) {
  const auto* inner = expression->IgnoreParens();
  if (const auto* full = llvm::dyn_cast<clang::ExprWithCleanups>(inner))
    return discard(full->getSubExpr());
  const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(inner);
  if (operation != nullptr && operation->getOpcode() == clang::BO_Comma) {
    discard(operation->getLHS());
    return discard(operation->getRHS());
  }
  const auto* cast = llvm::dyn_cast<clang::CastExpr>(inner);
  if (cast != nullptr && cast->getCastKind() == clang::CK_ToVoid &&
      is_change(cast->getSubExpr()->IgnoreParens()))
    return discard(cast->getSubExpr());
  if (!is_change(inner)) return evaluate(expression);
  if (!is_spent()) change(*inner);
}

/// Evaluates a change whose target or, for `x++`, value before is used in a way that is not seen.
void AccessWalk::evaluate_kept(const clang::Expr& expression) {
  change(expression);
  const auto* target = target_of(&expression);
  if (expression.isGLValue()) {
    note_doubt(target);
    return note_escape(target);
  }
  if (const auto changed = place(target)) note_read(*changed, expression.getExprLoc());
}

void AccessWalk::evaluate_children(const clang::Expr* expression) {
  for (const auto* child : expression->children()) {
    if (const auto* inner = llvm::dyn_cast_or_null<clang::Expr>(child)) evaluate(inner);
  }
}

void AccessWalk::evaluate_cast(const clang::CastExpr& cast) {
  const clang::Expr* inner = cast.getSubExpr();
  const auto kind = cast.getCastKind();
  if (kind == clang::CK_LValueToRValue) {
    if (const auto* assignment = assignment_in(inner)) return evaluate_assigned(*assignment);
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(inner->IgnoreParens()))
      return evaluate_call(*call);
    if (const auto source = place(inner)) {
      note_read(*source, inner->getExprLoc());
      return follow_indices(inner);
    }
    if (pointer(&cast)) {
      follow_indices(&cast);
      return note_unsure(&cast);
    }
    if (llvm::isa<clang::DeclRefExpr>(inner->IgnoreParens())) return;
    return evaluate(inner);
  }
  if (kind == clang::CK_PointerToBoolean || kind == clang::CK_ToVoid) {  // only looked at
    const auto here = place(inner);
    auto target = here ? std::optional(here->pointer) : pointer(inner);
    if (!target && llvm::isa<clang::DeclRefExpr>(inner->IgnoreParens()))
      target = loaded_pointer(inner);  // (void)p
    if (target) return follow_indices(inner);
  }
  evaluate(inner);
}

/// An assignment whose value is used: `a = b = c`. If that depends on the value before, as in
/// `a = b = b + c`, the value before is used, too.
void AccessWalk::evaluate_assigned(const clang::Expr& assignment) {
  const bool depends = change(assignment);
  const auto* target = target_of(&assignment);
  if (target->getType()->isPointerType()) return note_unsure(&assignment);
  const auto changed = depends ? place(target) : std::nullopt;
  if (changed) note_read(*changed, assignment.getExprLoc());
}

void AccessWalk::evaluate_binary(const clang::BinaryOperator& operation) {
  const auto* left = operation.getLHS();
  const auto* right = operation.getRHS();
  if (operation.isLogicalOp()) {
    const bool is_and = operation.getOpcode() == clang::BO_LAnd;
    return evaluate_branches(left, is_and ? right : nullptr, is_and ? nullptr : right);
  }
  if (operation.isComparisonOp() && left->getType()->isPointerType())
    return evaluate_comparison(operation);
  evaluate_children(&operation);
}

/// Of pointers. Only whether one is null is the same in all code: where increments go to copies,
/// pointers to one row differ.
void AccessWalk::evaluate_comparison(const clang::BinaryOperator& operation) {
  const bool with_null = presence(operation.getLHS()) == 0 || presence(operation.getRHS()) == 0;
  for (const auto* side : {operation.getLHS(), operation.getRHS()}) {
    if (pointer(side)) {
      if (!with_null) note_doubt(side);
      follow_indices(side);
    } else {
      evaluate(side);
    }
  }
}

void AccessWalk::evaluate_branches(const clang::Expr* condition, const clang::Expr* yes,
                                   const clang::Expr* no) {
  evaluate(condition);
  if (const auto known = number(condition)) return evaluate(*known != 0 ? yes : no);
  const AccessState before = fork();
  perhaps([&] { evaluate(yes); });
  const AccessState after = std::exchange(state_, before);
  perhaps([&] { evaluate(no); });
  state_.join(after);
}

void AccessWalk::evaluate_unary(const clang::UnaryOperator& operation) {
  const auto* inner = operation.getSubExpr();
  const auto code = operation.getOpcode();
  const bool leads_to_data =
      (code == clang::UO_AddrOf && place(inner)) || (code == clang::UO_Deref && place(&operation));
  if (!leads_to_data) return evaluate(inner);
  follow_indices(inner);
  note_unsure(&operation);
}

}  // namespace op2::jit
