// SPDX-License-Identifier: BSD-3-Clause
// Forms of expressions, as far as an AccessWalk distinguishes them.
#pragma once

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

namespace op2::jit {

inline const clang::Expr* bare(const clang::Expr* expression) {
  return expression->IgnoreParenImpCasts();
}

/// Whether an expression changes what its operand names: an assignment, `++x` or `x++`.
inline bool is_change(const clang::Expr* expression) {
  const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression);
  if (operation != nullptr) return operation->isAssignmentOp();
  const auto* step = llvm::dyn_cast<clang::UnaryOperator>(expression);
  return step != nullptr && step->isIncrementDecrementOp();
}

/// The assignment or increment (`++x`) whose value the expression is, or null.
inline const clang::Expr* assignment_in(const clang::Expr* expression) {
  const auto* inner = bare(expression);
  const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(inner);
  if (operation != nullptr && operation->isAssignmentOp()) return inner;
  const auto* step = llvm::dyn_cast<clang::UnaryOperator>(inner);
  const bool is_prefix = step != nullptr && step->isIncrementDecrementOp() && step->isPrefix();
  return is_prefix ? inner : nullptr;
}

inline const clang::Expr* target_of(const clang::Expr* assignment) {
  const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(assignment);
  return operation != nullptr ? operation->getLHS()
                              : llvm::cast<clang::UnaryOperator>(assignment)->getSubExpr();
}

}  // namespace op2::jit
