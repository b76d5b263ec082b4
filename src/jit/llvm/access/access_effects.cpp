// SPDX-License-Identifier: BSD-3-Clause
// The effects of expressions on the data of arguments and on local variables: changes, calls.
#include <jit/llvm/access/access_walk.hpp>

#include <algorithm>
#include <utility>

#include <clang/AST/DeclCXX.h>
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

/// Cost: O(1) for expressions of different classes, such as a sum and one value; otherwise their
/// size.
bool is_same(const clang::Expr* a, const clang::Expr* b, const clang::ASTContext& context) {
  return bare(a)->getStmtClass() == bare(b)->getStmtClass() && is_same_text(a, b, context);
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

/// Whether it uses nothing but the values of its arguments, although it takes references.
bool takes_values(const clang::FunctionDecl* function) {
  if (function == nullptr || function->getIdentifier() == nullptr) return false;
  const llvm::StringRef name = function->getName();
  return function->isInStdNamespace() && (name == "min" || name == "max" || name == "clamp");
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
  const auto* variable = named_variable(name);
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
  const auto* variable = named_variable(target);
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

bool AccessWalk::is_refused(const clang::FunctionDecl* function,
                            const clang::CallExpr& call) const {
  if (function == nullptr || function->getDefinition() == nullptr || function->isVariadic())
    return true;
  if (llvm::isa<clang::CXXMemberCallExpr, clang::CXXOperatorCallExpr>(call)) return true;
  const auto result = function->getReturnType();
  if (result->isPointerType() || result->isReferenceType()) return true;
  const auto* definition = function->getDefinition();
  return calls_.size() > 8 || std::find(calls_.begin(), calls_.end(), definition) != calls_.end() ||
         !is_followed(*definition, context_);
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
    const auto source = argument->isGLValue() ? place(argument) : std::nullopt;
    const auto* inner = llvm::dyn_cast<clang::CallExpr>(bare(argument));
    if (source && takes_values(function)) {
      note_read(*source, argument->getExprLoc());  // std::max(p[0], x)
      follow_indices(argument);
    } else if (inner != nullptr && takes_values(function)) {
      evaluate_call(*inner);  // std::max(std::min(p[0], x), y)
    } else if (source || (argument->getType()->isPointerType() && pointer(argument))) {
      note_unsure(argument);
      follow_indices(argument);
    } else {
      evaluate(argument);
    }
  }
}

LocalValue AccessWalk::bind(const clang::ParmVarDecl& parameter, const clang::Expr* argument) {
  if (parameter.getType()->isReferenceType()) {
    if (const auto target = place(argument)) {
      follow_indices(argument);
      return *target;
    }
  } else if (parameter.getType()->isPointerType()) {
    if (const auto target = pointer(argument)) {
      follow_indices(argument);
      return *target;
    }
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
  const bool jumped = jumped_;
  execute(definition->getBody());
  leave_function();
  jumped_ = jumped;
  calls_.pop_back();
  returns_ = std::move(returns);
}

}  // namespace op2::jit
