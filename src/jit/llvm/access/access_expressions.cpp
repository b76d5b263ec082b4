// SPDX-License-Identifier: BSD-3-Clause
// The effects of expressions on the data of arguments.
#include <algorithm>
#include <utility>

#include <clang/AST/DeclCXX.h>
#include <llvm/ADT/FoldingSet.h>

#include <jit/llvm/access/access_numbers.hpp>
#include <jit/llvm/access/access_walk.hpp>

namespace op2::jit {
namespace {

const clang::Expr* bare(const clang::Expr* expression) {
  return expression->IgnoreParenImpCasts();
}

bool is_same(const clang::Expr* a, const clang::Expr* b, const clang::ASTContext& context) {
  llvm::FoldingSetNodeID first, second;
  bare(a)->Profile(first, context, true);
  bare(b)->Profile(second, context, true);
  return first == second;
}

/// The assignment or increment (`++x`) whose value the expression is, or null.
const clang::Expr* assignment_in(const clang::Expr* expression) {
  const auto* inner = bare(expression);
  const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(inner);
  if (operation != nullptr && operation->isAssignmentOp()) return inner;
  const auto* step = llvm::dyn_cast<clang::UnaryOperator>(inner);
  const bool is_prefix = step != nullptr && step->isIncrementDecrementOp() && step->isPrefix();
  return is_prefix ? inner : nullptr;
}

const clang::Expr* target_of(const clang::Expr* assignment) {
  const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(assignment);
  return operation != nullptr ? operation->getLHS()
                              : llvm::cast<clang::UnaryOperator>(assignment)->getSubExpr();
}

/// The sum in `fma(a, b, sum)` of the C++ library; null for other calls.
const clang::Expr* fused_sum(const clang::CallExpr& call) {
  const auto* function = call.getDirectCallee();
  if (function == nullptr || function->getIdentifier() == nullptr || call.getNumArgs() != 3)
    return nullptr;
  llvm::StringRef name = function->getName();
  name.consume_front("__builtin_");
  const bool is_known = name == "fma" || name == "fmaf" || name == "fmal";
  const auto* scope = function->getDeclContext()->getRedeclContext();
  return is_known && (scope->isTranslationUnit() || scope->isStdNamespace()) ? call.getArg(2)
                                                                             : nullptr;
}

}  // namespace

void AccessWalk::evaluate(const clang::Expr* expression) {
  if (expression == nullptr || is_spent()) return;
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression)) return evaluate_cast(*cast);
  if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression))
    return evaluate_binary(*operation);
  if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(expression))
    return evaluate_unary(*operation);
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(expression))
    return evaluate_branches(choice->getCond(), choice->getTrueExpr(), choice->getFalseExpr());
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(expression)) return evaluate_call(*call);
  if (llvm::isa<clang::LambdaExpr, clang::StmtExpr>(expression)) {
    note_unsure(expression);
    return note_escape(expression);
  }
  if (llvm::isa<clang::UnaryExprOrTypeTraitExpr>(expression)) return;  // sizeof
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
  evaluate_children(expression);
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
    if (const auto source = place(inner)) {
      note_read(*source, inner->getExprLoc());
      return follow_indices(inner);
    }
    if (const auto target = pointer(&cast)) return note_unsure(&cast);
    if (llvm::isa<clang::DeclRefExpr>(inner->IgnoreParens())) return;
    return evaluate_children(inner);
  }
  const bool only_looked_at = kind == clang::CK_PointerToBoolean || kind == clang::CK_ToVoid;
  if (only_looked_at) {
    if (const auto target = pointer(inner)) return note_use(*target);
    if (const auto target = place(inner)) return note_use(target->pointer);
  }
  evaluate(inner);
}

/// An assignment whose value is used: `a = b = c`.
void AccessWalk::evaluate_assigned(const clang::Expr& assignment) {
  evaluate(&assignment);
  const auto* target = target_of(&assignment);
  if (target->getType()->isPointerType()) return note_unsure(&assignment);
  const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&assignment);
  const bool is_plain = operation != nullptr && operation->getOpcode() == clang::BO_Assign;
  if (is_plain) return;  // the value does not depend on the previous one
  if (const auto changed = place(target)) note_read(*changed, assignment.getExprLoc());
}

/// Evaluates the value assigned to a variable.
/// @return what is known of it
LocalValue AccessWalk::value_for(const clang::VarDecl& variable, const clang::Expr* source) {
  const auto type = variable.getType();
  if (type->isPointerType()) {
    if (const auto target = pointer(source)) return *target;
  }
  evaluate(source);
  if (!type->isIntegralOrEnumerationType()) return {};
  const auto* assignment = assignment_in(source);
  const auto value = assignment == nullptr ? number(source)
                                           : fitted(number(target_of(assignment)), type, context_);
  return value ? LocalValue(*value) : LocalValue();
}

void AccessWalk::evaluate_binary(const clang::BinaryOperator& operation) {
  const auto* left = operation.getLHS();
  const auto* right = operation.getRHS();
  if (operation.getOpcode() == clang::BO_Assign) return assign(left, right);
  if (operation.isLogicalOp()) {
    const bool is_and = operation.getOpcode() == clang::BO_LAnd;
    return evaluate_branches(left, is_and ? right : nullptr, is_and ? nullptr : right);
  }
  if (operation.isComparisonOp() && left->getType()->isPointerType()) {
    for (const auto* side : {left, right}) {
      if (const auto target = pointer(side)) note_use(*target);
    }
    return;
  }
  if (!operation.isCompoundAssignmentOp()) return evaluate_children(&operation);
  evaluate(right);
  if (const auto target = place(left)) {
    const auto op = operation.getOpcode();
    const bool is_or = op == clang::BO_OrAssign && left->getType()->isBooleanType();
    const bool adds = op == clang::BO_AddAssign || op == clang::BO_SubAssign || is_or;
    note_write(*target, adds ? WriteKind::increment : WriteKind::update,
               operation.getOperatorLoc());
    follow_indices(left);
  } else if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(bare(left))) {
    note_unsure(name);  // a pointer: `p += n` is not followed
    forget_changed(name);
  } else {
    evaluate_children(left);
  }
}

void AccessWalk::evaluate_branches(const clang::Expr* condition, const clang::Expr* yes,
                                   const clang::Expr* no) {
  evaluate(condition);
  if (const auto known = number(condition)) return evaluate(*known != 0 ? yes : no);
  const AccessState before = fork();
  evaluate(yes);
  const AccessState after = std::exchange(state_, before);
  evaluate(no);
  state_.join(after);
}

void AccessWalk::evaluate_unary(const clang::UnaryOperator& operation) {
  const auto* inner = operation.getSubExpr();
  if (operation.isIncrementDecrementOp()) {
    if (const auto target = place(inner)) {
      note_write(*target, WriteKind::increment, operation.getOperatorLoc());
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
    return;
  }
  if (operation.getOpcode() == clang::UO_AddrOf && place(inner)) return note_unsure(&operation);
  if (operation.getOpcode() == clang::UO_Deref && place(&operation)) return note_unsure(&operation);
  evaluate(inner);
}

/// `p[0] = p[0] + x` or `p[0] = fma(x, y, p[0])`: an increment written as an assignment.
bool AccessWalk::evaluate_as_increment(const clang::Expr* target, const clang::Expr* sum) {
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(bare(sum))) {
    const auto* added_to = fused_sum(*call);
    if (added_to == nullptr ||
        !(is_same(added_to, target, context_) || evaluate_as_increment(target, added_to)))
      return false;
    evaluate(call->getArg(0));
    evaluate(call->getArg(1));
    return true;
  }
  const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(bare(sum));
  if (operation == nullptr || !operation->isAdditiveOp()) return false;
  const auto is_target = [&](const clang::Expr* side) { return is_same(side, target, context_); };
  const bool adds = operation->getOpcode() == clang::BO_Add;
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

void AccessWalk::assign(const clang::Expr* target, const clang::Expr* source) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(bare(target));
  const auto* variable =
      name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (variable != nullptr && !variable->getType()->isReferenceType())
    return assign_local(*variable, source);
  const bool increments = place(target) && evaluate_as_increment(target, source);
  if (!increments) evaluate(source);
  if (const auto found = place(target)) {
    note_write(*found, increments ? WriteKind::increment : WriteKind::assign, target->getExprLoc());
    follow_indices(target);
  } else {
    evaluate_children(target);
  }
}

void AccessWalk::assign_local(const clang::VarDecl& variable, const clang::Expr* source) {
  const LocalValue known = value_for(variable, source);
  if (variable.hasLocalStorage() && !escaped_.contains(&variable)) state_.locals[&variable] = known;
}

/// Evaluates the side effects of the indices of a place: `p[i++]`.
void AccessWalk::follow_indices(const clang::Expr* place) {
  if (!place->HasSideEffects(context_)) return;
  place = place->IgnoreParenCasts();
  if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) {
    evaluate(element->getIdx());
    follow_indices(element->getBase());
  } else if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(place)) {
    if (operation->isIncrementDecrementOp()) return evaluate_unary(*operation);
    follow_indices(operation->getSubExpr());
  } else {
    note_unsure(place);
    note_escape(place);
  }
}

bool AccessWalk::is_refused(const clang::FunctionDecl* function,
                            const clang::CallExpr& call) const {
  if (function == nullptr || function->getDefinition() == nullptr || function->isVariadic())
    return true;
  if (llvm::isa<clang::CXXMemberCallExpr, clang::CXXOperatorCallExpr>(call)) return true;
  const auto result = function->getReturnType();
  if (result->isPointerType() || result->isReferenceType()) return true;
  const auto* definition = function->getDefinition();
  return calls_.size() > 8 || std::find(calls_.begin(), calls_.end(), definition) != calls_.end();
}

void AccessWalk::evaluate_call(const clang::CallExpr& call) {
  const auto* function = call.getDirectCallee();
  bool hands_over = false;
  for (unsigned i = 0; i < call.getNumArgs(); ++i) {
    const auto* argument = call.getArg(i);
    const bool is_place = argument->isGLValue() && place(argument);
    hands_over =
        hands_over || is_place || (argument->getType()->isPointerType() && pointer(argument));
  }
  if (hands_over && !is_refused(function, call)) return call_function(*function, call);
  if (const auto* method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call))
    evaluate(method->getImplicitObjectArgument());
  for (unsigned i = 0; i < call.getNumArgs(); ++i) {
    const auto* argument = call.getArg(i);
    const bool by_const_reference = function != nullptr && i < function->getNumParams() &&
                                    function->getParamDecl(i)->getType()->isReferenceType() &&
                                    argument->getType().isConstQualified();
    const auto source = argument->isGLValue() ? place(argument) : std::nullopt;
    if (source && by_const_reference) {
      note_read(*source, argument->getExprLoc());  // std::max(p[0], x)
    } else if (source || (argument->getType()->isPointerType() && pointer(argument))) {
      note_unsure(argument);
    } else {
      evaluate(argument);
    }
  }
}

LocalValue AccessWalk::bind(const clang::ParmVarDecl& parameter, const clang::Expr* argument) {
  if (parameter.getType()->isReferenceType()) {
    if (const auto target = place(argument)) return *target;
  } else if (parameter.getType()->isPointerType()) {
    if (const auto target = pointer(argument)) return *target;
  }
  evaluate(argument);
  if (!parameter.getType()->isIntegralOrEnumerationType()) return {};
  const auto value = number(argument);
  return value ? LocalValue(*value) : LocalValue();
}

void AccessWalk::call_function(const clang::FunctionDecl& function, const clang::CallExpr& call) {
  const auto* definition = function.getDefinition();
  std::vector<std::pair<const clang::VarDecl*, LocalValue>> values;
  for (unsigned i = 0; i < call.getNumArgs() && i < definition->getNumParams(); ++i)
    values.emplace_back(definition->getParamDecl(i),
                        bind(*definition->getParamDecl(i), call.getArg(i)));
  for (auto& [parameter, value] : values) state_.locals[parameter] = value;
  auto returns = std::exchange(returns_, {});
  calls_.push_back(definition);
  execute(definition->getBody());
  leave_function();
  calls_.pop_back();
  returns_ = std::move(returns);
}

}  // namespace op2::jit
