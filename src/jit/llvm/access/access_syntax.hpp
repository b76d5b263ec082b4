// SPDX-License-Identifier: BSD-3-Clause
// What the text of a kernel says by itself: forms of expressions, arithmetic with known integers,
// and the part of the language that an AccessWalk follows in full.
#pragma once

#include <cstdint>
#include <optional>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

namespace op2::jit {

inline const clang::Expr* bare(const clang::Expr* expression) {
  return expression->IgnoreParenImpCasts();
}

/// Whether an expression changes what its operand names: an assignment, `++x` or `x++`.
bool is_change(const clang::Expr* expression);

/// The assignment or increment (`++x`) whose value the expression is, or null.
const clang::Expr* assignment_in(const clang::Expr* expression);

/// What an assignment, `++x` or `x++` changes.
const clang::Expr* target_of(const clang::Expr* change);

/// The variable that an expression names, or null.
const clang::VarDecl* named_variable(const clang::Expr* expression);

/// Whether two expressions are written alike, up to casts and what names refer to.
bool is_same_text(const clang::Expr* a, const clang::Expr* b, const clang::ASTContext& context);

/// Whether all that a function with a body does is followed. What is not on the lists of this file
/// is not in it: a new kind of statement or expression stops a proof instead of slipping through
/// one. Lambdas count as followed: what they name is treated as used in unknown ways. Cost: one
/// pass over the body.
bool is_followed(const clang::FunctionDecl& function, const clang::ASTContext& context);

/// An integer that is known without running the kernel. Nothing: unknown.
using Number = std::optional<std::int64_t>;

Number sum(Number a, Number b);

/// The result of an operation; nothing if it is undefined or too large.
Number result_of(clang::BinaryOperatorKind operation, std::int64_t a, std::int64_t b);

/// The number; nothing if a variable of this type cannot hold it.
Number fitted(Number value, clang::QualType type, const clang::ASTContext& context);

}  // namespace op2::jit
