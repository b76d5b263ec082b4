// SPDX-License-Identifier: BSD-3-Clause
// Changes of the data of arguments and of local variables: assignments, `+=`, `++`.
#include <utility>

#include <llvm/ADT/FoldingSet.h>

#include <jit/llvm/access/access_numbers.hpp>
#include <jit/llvm/access/access_syntax.hpp>
#include <jit/llvm/access/access_walk.hpp>

namespace op2::jit {
namespace {

/// Cost: O(1) for expressions of different classes, such as a sum and one value; otherwise their
/// size.
bool is_same(const clang::Expr* a, const clang::Expr* b, const clang::ASTContext& context) {
  if (bare(a)->getStmtClass() != bare(b)->getStmtClass()) return false;
  llvm::FoldingSetNodeID first, second;
  bare(a)->Profile(first, context, true);
  bare(b)->Profile(second, context, true);
  return first == second;
}

bool is_zero(const clang::Expr* value, const clang::ASTContext& context) {
  clang::Expr::EvalResult result;
  if (value->isValueDependent() || !value->EvaluateAsRValue(result, context)) return false;
  if (result.HasSideEffects) return false;
  return result.Val.isFloat() ? result.Val.getFloat().isPosZero()
                              : result.Val.isInt() && result.Val.getInt() == 0;
}

/// The sum in `fma(a, b, sum)` of the C++ library; null for other calls.
const clang::Expr* fused_sum(const clang::CallExpr& call) {
  const auto* function = call.getDirectCallee();
  if (function == nullptr || function->getIdentifier() == nullptr || call.getNumArgs() != 3)
    return nullptr;
  llvm::StringRef name = function->getName();
  name.consume_front("__builtin_");
  const bool is_known = name == "fma" || name == "fmaf" || name == "fmal";
  const bool is_of_library = function->getBuiltinID() != 0 || function->isInStdNamespace();
  return is_known && is_of_library ? call.getArg(2) : nullptr;
}

}  // namespace

/// @return whether the new value depends on the one before
bool AccessWalk::change(const clang::Expr& expression) {
  const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&expression);
  if (operation != nullptr && operation->getOpcode() == clang::BO_Assign)
    return assign(operation->getLHS(), operation->getRHS());
  if (operation != nullptr)
    change_by_operator(*operation);
  else
    change_by_one(llvm::cast<clang::UnaryOperator>(expression));
  return true;
}

/// Evaluates the value assigned to a variable.
/// @return what is known of it
LocalValue AccessWalk::value_for(const clang::VarDecl& variable, const clang::Expr* source) {
  const auto type = variable.getType();
  if (type->isPointerType()) {
    if (const auto target = pointer(source)) {
      follow_indices(source);
      return *target;
    }
  }
  evaluate(source);
  if (!type->isIntegralOrEnumerationType()) return {};
  const auto* assignment = assignment_in(source);
  const auto value = assignment == nullptr ? number(source)
                                           : fitted(number(target_of(assignment)), type, context_);
  return value ? LocalValue(*value) : LocalValue();
}

/// `a += b` and the like.
void AccessWalk::change_by_operator(const clang::BinaryOperator& operation) {
  const auto* left = operation.getLHS();
  const auto* right = operation.getRHS();
  evaluate(right);
  if (const auto target = place(left)) {
    const auto op = operation.getOpcode();
    const bool is_or = op == clang::BO_OrAssign && left->getType()->isBooleanType();
    const bool adds = op == clang::BO_AddAssign || op == clang::BO_SubAssign || is_or;
    note_write(*target, adds ? WriteKind::increment : WriteKind::update,
               operation.getOperatorLoc());
    note_inexact(left,
                 llvm::cast<clang::CompoundAssignOperator>(operation).getComputationResultType());
    follow_indices(left);
  } else if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(bare(left))) {
    note_unsure(name);  // a pointer: `p += n` is not followed
    forget_changed(name);
  } else {
    evaluate_children(left);
  }
}

/// `++a`, `a--` and the like.
void AccessWalk::change_by_one(const clang::UnaryOperator& operation) {
  const auto* inner = operation.getSubExpr();
  if (const auto target = place(inner)) {
    note_write(*target, WriteKind::increment, operation.getOperatorLoc());
    note_inexact(inner, inner->getType());
    return follow_indices(inner);
  }
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(bare(inner));
  if (name == nullptr) return evaluate_children(inner);
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  const auto known = state_.locals.find(variable);
  if (known == state_.locals.end()) return;
  const int by = operation.isIncrementOp() ? 1 : -1;
  note_unsure(name);  // `*p++` is not followed
  if (const auto* value = std::get_if<std::int64_t>(&known->second)) {
    const auto next = fitted(sum(*value, by), variable->getType(), context_);
    known->second = next ? LocalValue(*next) : LocalValue();
  }
}

/// `p[0] = p[0] + x` or `p[0] = fma(x, y, p[0])`: an increment written as an assignment.
bool AccessWalk::evaluate_as_increment(const clang::Expr* target, const clang::Expr* sum) {
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(bare(sum))) {
    const auto* added_to = fused_sum(*call);
    if (added_to == nullptr ||
        !(is_same(added_to, target, context_) || evaluate_as_increment(target, added_to)))
      return false;
    note_inexact(target, call->getType());
    evaluate(call->getArg(0));
    evaluate(call->getArg(1));
    return true;
  }
  const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(bare(sum));
  if (operation == nullptr || !operation->isAdditiveOp()) return false;
  const auto is_target = [&](const clang::Expr* side) { return is_same(side, target, context_); };
  const bool adds = operation->getOpcode() == clang::BO_Add;
  note_inexact(target, operation->getType());
  if (is_target(operation->getLHS()) || evaluate_as_increment(target, operation->getLHS())) {
    evaluate(operation->getRHS());
    return true;
  }
  if (!adds ||
      !(is_target(operation->getRHS()) || evaluate_as_increment(target, operation->getRHS())))
    return false;
  evaluate(operation->getLHS());
  return true;
}

/// @return whether it is an increment
bool AccessWalk::assign(const clang::Expr* target, const clang::Expr* source) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(bare(target));
  const auto* variable =
      name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (variable != nullptr && !variable->getType()->isReferenceType()) {
    assign_local(*variable, source);
    return false;
  }
  const auto before = place(target);
  const bool increments = before && evaluate_as_increment(target, source);
  if (increments)
    doubt_increment(target, source, before);
  else
    evaluate(source);
  if (const auto found = place(target)) {
    note_write(*found, increments ? WriteKind::increment : WriteKind::assign, target->getExprLoc(),
               !increments && is_zero(source, context_));
    follow_indices(target);
  } else {
    evaluate_children(target);
  }
  return increments;
}

/// Equal text names the same number twice if nothing in between can change that.
/// @param before  the target before `sum` was evaluated
void AccessWalk::doubt_increment(const clang::Expr* target, const clang::Expr* sum,
                                 const std::optional<DataPlace>& before) {
  const auto& pointer = before->pointer;
  const bool is_known = pointer.row && pointer.component && place(target) == before;
  if (!is_known && sum->HasSideEffects(context_)) note_doubt(target);
}

/// What a pointer that is assigned points to is not known where paths join.
void AccessWalk::assign_local(const clang::VarDecl& variable, const clang::Expr* source) {
  const LocalValue known = value_for(variable, source);
  const auto before = state_.locals.find(&variable);
  if (before != state_.locals.end()) doubt(before->second, source->getExprLoc());
  doubt(known, source->getExprLoc());
  if (variable.hasLocalStorage() && !escaped_.contains(&variable)) state_.locals[&variable] = known;
}

/// Evaluates what a place or a pointer is computed from: `p[i++]`, `p + n[0]`.
void AccessWalk::follow_indices(const clang::Expr* place) {
  place = place->IgnoreParens();
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(place))
    return follow_indices(cast->getSubExpr());
  if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) {
    evaluate(element->getIdx());
    follow_indices(element->getBase());
  } else if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(place)) {
    if (step->isIncrementDecrementOp()) return change_by_one(*step);
    follow_indices(step->getSubExpr());
  } else if (const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(place);
             sum != nullptr && sum->isAdditiveOp()) {
    for (const auto* side : {sum->getLHS(), sum->getRHS()})
      side->getType()->isPointerType() ? follow_indices(side) : evaluate(side);
  } else if (!llvm::isa<clang::DeclRefExpr>(place)) {
    note_unsure(place);
    note_escape(place);
  }
}

}  // namespace op2::jit
