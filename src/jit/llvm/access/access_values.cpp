// SPDX-License-Identifier: BSD-3-Clause
// Values of expressions: numbers, pointers into the data of arguments, places in it.
#include <jit/llvm/access/access_walk.hpp>

namespace op2::jit {
namespace {

/// Whether a cast keeps the pointee, up to const at any level.
bool keeps_pointee(const clang::CastExpr& cast, const clang::ASTContext& context) {
  const auto from = cast.getSubExpr()->getType(), to = cast.getType();
  return from->isPointerType() && to->isPointerType() &&
         const_cast<clang::ASTContext&>(context).hasSimilarType(from, to);
}

DataPointer moved(DataPointer pointer, Number by) {
  auto& counted = pointer.to_rows ? pointer.row : pointer.component;
  counted = sum(counted, by);
  return pointer;
}

}  // namespace

const LocalValue* AccessWalk::local(const clang::Expr* expression) const {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParens());
  if (name == nullptr) return nullptr;
  const auto known = state_.locals.find(llvm::dyn_cast<clang::VarDecl>(name->getDecl()));
  return known != state_.locals.end() ? &known->second : nullptr;
}

/// 1 for a pointer that is not null, 0 for one that is.
Number AccessWalk::presence(const clang::Expr* expression) const {
  const clang::Expr* inner = expression->IgnoreParenCasts();
  if (inner->isNullPointerConstant(const_cast<clang::ASTContext&>(context_),
                                   clang::Expr::NPC_ValueDependentIsNotNull))
    return 0;
  const auto* known = inner->getType()->isPointerType() ? local(inner) : nullptr;
  const auto* target = known != nullptr ? std::get_if<DataPointer>(known) : nullptr;
  return target != nullptr && extents_[target->parameter].is_there ? Number(1) : std::nullopt;
}

Number AccessWalk::combined(const clang::BinaryOperator& operation) const {
  const auto* left = operation.getLHS();
  const auto* right = operation.getRHS();
  const bool of_pointers = left->getType()->isPointerType() || right->getType()->isPointerType();
  const auto a = of_pointers ? presence(left) : number(left);
  const auto b = of_pointers ? presence(right) : number(right);
  if (!a || !b || (of_pointers && (!operation.isEqualityOp() || *a == *b))) return std::nullopt;
  return result_of(operation.getOpcode(), *a, *b);
}

Number AccessWalk::number(const clang::Expr* expression) const {
  if (expression == nullptr || expression->isValueDependent()) return std::nullopt;
  if (!expression->getType()->isIntegralOrEnumerationType()) return std::nullopt;
  const clang::Expr* inner = expression->IgnoreParens();
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(inner)) return cast_number(*cast);
  return fitted(computed(inner), inner->getType(), context_);
}

Number AccessWalk::cast_number(const clang::CastExpr& cast) const {
  const clang::Expr* inner = cast.getSubExpr();
  const bool to_truth = cast.getType()->isBooleanType();
  if (to_truth && inner->getType()->isPointerType()) return presence(inner);
  if (!inner->getType()->isIntegralOrEnumerationType()) return std::nullopt;
  const auto result = number(inner);
  if (to_truth && result) return *result != 0;
  return fitted(result, cast.getType(), context_);
}

/// The value of an integer expression without casts around it.
Number AccessWalk::computed(const clang::Expr* expression) const {
  if (const auto* known = local(expression)) {
    const auto* value = std::get_if<std::int64_t>(known);
    return value != nullptr ? Number(*value) : std::nullopt;
  }
  if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
    if (const auto result = combined(*operation)) return result;
  }
  if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(expression)) {
    const auto value = number(operation->getSubExpr());
    if (value && operation->getOpcode() == clang::UO_Minus)
      return result_of(clang::BO_Sub, 0, *value);
    if (value && operation->getOpcode() == clang::UO_LNot) return *value == 0;
  }
  clang::Expr::EvalResult result;
  if (!expression->EvaluateAsInt(result, context_)) return std::nullopt;
  const auto& found = result.Val.getInt();
  return found.isRepresentableByInt64() ? Number(found.getExtValue()) : std::nullopt;
}

/// A pointer that is loaded from a variable, or from a row of pointers.
std::optional<DataPointer> AccessWalk::loaded_pointer(const clang::Expr* location) {
  location = location->IgnoreParens();
  if (const auto* known = local(location)) {
    const auto* target = std::get_if<DataPointer>(known);
    return target != nullptr ? std::optional(*target) : std::nullopt;
  }
  const clang::Expr* base = nullptr;
  Number index = 0;
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
    return keeps_pointee(*cast, context_) ? pointer(cast->getSubExpr()) : std::nullopt;
  }
  if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
    if (!operation->isAdditiveOp()) return std::nullopt;
    const bool swapped = operation->getRHS()->getType()->isPointerType();
    const auto* base = swapped ? operation->getRHS() : operation->getLHS();
    auto by = number(swapped ? operation->getLHS() : operation->getRHS());
    if (by && operation->getOpcode() == clang::BO_Sub) by = result_of(clang::BO_Sub, 0, *by);
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

}  // namespace op2::jit
