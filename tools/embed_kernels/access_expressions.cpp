// SPDX-License-Identifier: BSD-3-Clause
// What expressions do to the data of arguments, and what they mean.
#include <algorithm>
#include <utility>

#include <clang/AST/DeclCXX.h>
#include <llvm/ADT/FoldingSet.h>

#include "access_walk.hpp"

namespace op2::embed {
namespace {

const clang::Expr* bare(const clang::Expr* expression) {
  return expression->IgnoreParenImpCasts();
}

/// Casts that keep a pointer what it is, const or not.
bool keeps_pointee(const clang::CastExpr& cast) {
  const auto from = cast.getSubExpr()->getType(), to = cast.getType();
  if (!from->isPointerType() || !to->isPointerType()) return false;
  const auto plain = [](clang::QualType type) {
    return type->getPointeeType().getCanonicalType().getUnqualifiedType();
  };
  return plain(from) == plain(to) || (plain(from)->isPointerType() && plain(to)->isPointerType());
}

bool is_same(const clang::Expr* a, const clang::Expr* b, const clang::ASTContext& context) {
  llvm::FoldingSetNodeID first, second;
  bare(a)->Profile(first, context, true);
  bare(b)->Profile(second, context, true);
  return first == second;
}

std::optional<std::int64_t> sum(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

DataPointer moved(DataPointer pointer, std::optional<std::int64_t> by) {
  auto& counted = pointer.to_rows ? pointer.row : pointer.component;
  counted = sum(counted, by);
  return pointer;
}

}  // namespace

// What they do.

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
  if (llvm::isa<clang::LambdaExpr, clang::StmtExpr>(expression)) return note_unsure(expression);
  if (llvm::isa<clang::UnaryExprOrTypeTraitExpr>(expression)) return;  // sizeof
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression)) {
    // A reference or an array without a load: it goes somewhere else.
    return mentions_data(name) ? note_unsure(name) : void();
  }
  if (llvm::isa<clang::ArraySubscriptExpr>(expression)) {
    if (place(expression)) return note_unsure(expression);
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
    if (const auto source = place(inner)) return note_read(*source, inner->getExprLoc());
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
    const bool adds = op == clang::BO_AddAssign || op == clang::BO_SubAssign;
    note_write(*target, adds ? WriteKind::increment : WriteKind::update,
               operation.getOperatorLoc());
  } else if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(bare(left))) {
    forget_changed(name);
  } else {
    evaluate_children(left);
  }
}

void AccessWalk::evaluate_branches(const clang::Expr* condition, const clang::Expr* yes,
                                   const clang::Expr* no) {
  evaluate(condition);
  if (const auto known = number(condition)) return evaluate(*known != 0 ? yes : no);
  const AccessState before = state_;
  evaluate(yes);
  const AccessState after = std::exchange(state_, before);
  evaluate(no);
  state_.join(after);
}

void AccessWalk::evaluate_unary(const clang::UnaryOperator& operation) {
  const auto* inner = operation.getSubExpr();
  if (operation.isIncrementDecrementOp()) {
    if (const auto target = place(inner))
      return note_write(*target, WriteKind::increment, operation.getOperatorLoc());
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(bare(inner));
    if (name == nullptr) return evaluate_children(inner);
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    const auto known = state_.locals.find(variable);
    if (known == state_.locals.end()) return;
    const int by = operation.isIncrementOp() ? 1 : -1;
    note_unsure(name);  // `*p++` is not followed
    if (auto* value = std::get_if<std::int64_t>(&known->second)) *value += by;
    return;
  }
  if (operation.getOpcode() == clang::UO_AddrOf && place(inner)) return note_unsure(&operation);
  if (operation.getOpcode() == clang::UO_Deref && place(&operation)) return note_unsure(&operation);
  evaluate(inner);
}

/// `p[0] = p[0] + x`: an increment that is written out.
bool AccessWalk::evaluate_as_increment(const clang::Expr* target, const clang::Expr* sum) {
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
  } else {
    evaluate_children(target);
  }
}

void AccessWalk::assign_local(const clang::VarDecl& variable, const clang::Expr* source) {
  LocalValue known;
  if (const auto target = source->getType()->isPointerType() ? pointer(source) : std::nullopt) {
    known = *target;
  } else {
    evaluate(source);
    if (variable.getType()->isIntegralOrEnumerationType()) {
      if (const auto value = number(source)) known = *value;
    }
  }
  if (variable.hasLocalStorage()) state_.locals[&variable] = known;
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

// What they mean.

const LocalValue* AccessWalk::local(const clang::Expr* expression) const {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParens());
  if (name == nullptr) return nullptr;
  const auto known = state_.locals.find(llvm::dyn_cast<clang::VarDecl>(name->getDecl()));
  return known != state_.locals.end() ? &known->second : nullptr;
}

std::optional<std::int64_t> AccessWalk::combined(const clang::BinaryOperator& operation) const {
  const auto a = number(operation.getLHS()), b = number(operation.getRHS());
  if (!a || !b) return std::nullopt;
  switch (operation.getOpcode()) {
    case clang::BO_Add:
      return *a + *b;
    case clang::BO_Sub:
      return *a - *b;
    case clang::BO_Mul:
      return *a * *b;
    case clang::BO_Div:
      return *b != 0 ? std::optional(*a / *b) : std::nullopt;
    case clang::BO_Rem:
      return *b != 0 ? std::optional(*a % *b) : std::nullopt;
    case clang::BO_LT:
      return *a < *b;
    case clang::BO_LE:
      return *a <= *b;
    case clang::BO_GT:
      return *a > *b;
    case clang::BO_GE:
      return *a >= *b;
    case clang::BO_EQ:
      return *a == *b;
    case clang::BO_NE:
      return *a != *b;
    case clang::BO_LAnd:
      return *a != 0 && *b != 0;
    case clang::BO_LOr:
      return *a != 0 || *b != 0;
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> AccessWalk::number(const clang::Expr* expression) const {
  if (expression == nullptr || expression->isValueDependent()) return std::nullopt;
  if (!expression->getType()->isIntegralOrEnumerationType()) return std::nullopt;
  const clang::Expr* inner = expression->IgnoreParenCasts();
  if (!inner->getType()->isIntegralOrEnumerationType()) return std::nullopt;
  if (const auto* known = local(inner)) {
    const auto* value = std::get_if<std::int64_t>(known);
    return value != nullptr ? std::optional(*value) : std::nullopt;
  }
  if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(inner)) {
    if (const auto result = combined(*operation)) return result;
  }
  if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(inner)) {
    const auto value = number(operation->getSubExpr());
    if (value && operation->getOpcode() == clang::UO_Minus) return -*value;
    if (value && operation->getOpcode() == clang::UO_LNot) return *value == 0;
  }
  clang::Expr::EvalResult result;
  if (!inner->EvaluateAsInt(result, context_)) return std::nullopt;
  return result.Val.getInt().getExtValue();
}

/// A pointer that is loaded from a variable, or from a row of pointers.
std::optional<DataPointer> AccessWalk::loaded_pointer(const clang::Expr* location) {
  location = location->IgnoreParens();
  if (const auto* known = local(location)) {
    const auto* target = std::get_if<DataPointer>(known);
    return target != nullptr ? std::optional(*target) : std::nullopt;
  }
  const clang::Expr* base = nullptr;
  std::optional<std::int64_t> index = 0;
  if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(location)) {
    base = element->getBase();
    index = number(element->getIdx());
  } else if (const auto* star = llvm::dyn_cast<clang::UnaryOperator>(location)) {
    if (star->getOpcode() == clang::UO_Deref) base = star->getSubExpr();
  }
  const auto rows = base != nullptr ? pointer(base) : std::nullopt;
  if (!rows || !rows->to_rows) return std::nullopt;
  return DataPointer{rows->parameter, false, sum(rows->row, index), 0};
}

std::optional<DataPointer> AccessWalk::pointer(const clang::Expr* expression) {
  expression = expression->IgnoreParens();
  if (!expression->getType()->isPointerType()) return std::nullopt;
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression)) {
    if (cast->getCastKind() == clang::CK_LValueToRValue) return loaded_pointer(cast->getSubExpr());
    return keeps_pointee(*cast) ? pointer(cast->getSubExpr()) : std::nullopt;
  }
  if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
    if (!operation->isAdditiveOp()) return std::nullopt;
    const bool swapped = operation->getRHS()->getType()->isPointerType();
    const auto* base = swapped ? operation->getRHS() : operation->getLHS();
    auto by = number(swapped ? operation->getLHS() : operation->getRHS());
    if (by && operation->getOpcode() == clang::BO_Sub) by = -*by;
    const auto origin = pointer(base);
    return origin ? std::optional(moved(*origin, by)) : std::nullopt;
  }
  const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(expression);
  if (operation == nullptr) return std::nullopt;
  if (operation->getOpcode() == clang::UO_AddrOf) {
    const auto target = place(operation->getSubExpr());
    return target ? std::optional(target->pointer) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<DataPlace> AccessWalk::place(const clang::Expr* expression) {
  expression = expression->IgnoreParens();
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression))
    return cast->getCastKind() == clang::CK_NoOp ? place(cast->getSubExpr()) : std::nullopt;
  if (const auto* known = local(expression)) {
    const auto* target = std::get_if<DataPlace>(known);
    return target != nullptr ? std::optional(*target) : std::nullopt;
  }
  std::optional<DataPointer> target;
  if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(expression)) {
    target = pointer(element->getBase());
    if (target) target = moved(*target, number(element->getIdx()));
  } else if (const auto* star = llvm::dyn_cast<clang::UnaryOperator>(expression)) {
    if (star->getOpcode() == clang::UO_Deref) target = pointer(star->getSubExpr());
  }
  if (!target || target->to_rows) return std::nullopt;
  return DataPlace{*target};
}

}  // namespace op2::embed
