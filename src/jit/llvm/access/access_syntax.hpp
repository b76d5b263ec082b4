// SPDX-License-Identifier: BSD-3-Clause
// What the text of a kernel says by itself: forms of expressions, arithmetic with known integers,
// and the part of the language that an AccessWalk follows in full.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

#include <jit/loop_nest.hpp>

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
bool is_followed(const clang::FunctionDecl& function);

/// A change of a number: to any value, by an addition, by other arithmetic with the value before,
/// or to a minimum or maximum of the value before and others.
enum class WriteKind { assign, increment, update, lower, raise };

/// A value `v` that becomes the minimum or maximum of it and of others `e`, all of its type:
///
///     v = e < v ? e : v;      if (e < v) v = e;      v = std::min(v, e);      v = fmin(e, v);
///
/// also turned round, with <=, > or >=. Whether `e` depends on `v` is for the caller to find out.
struct Extreme {
  WriteKind kind;                          ///< lower or raise
  const clang::Expr* target = nullptr;     ///< `v`, where it is changed
  const clang::Expr* before = nullptr;     ///< `v`, where its value before is named
  std::vector<const clang::Expr*> others;  ///< `e`; only in calls they may have effects
};

/// What `target = source` takes.
std::optional<Extreme> extreme_of(const clang::Expr* target, const clang::Expr* source,
                                  const clang::ASTContext& context);
/// The same of a statement that assigns nothing else.
std::optional<Extreme> extreme_of(const clang::IfStmt& statement, const clang::ASTContext& context);

/// The type of data that a C++ type can store; nothing: none.
std::optional<Type> stored_type(const clang::ASTContext& context, clang::QualType type);

/// An integer that is known without running the kernel. Nothing: unknown.
using Number = std::optional<std::int64_t>;

Number sum(Number a, Number b);

/// The result of an operation; nothing if it is undefined or too large.
Number result_of(clang::BinaryOperatorKind operation, std::int64_t a, std::int64_t b);

/// The number; nothing if a variable of this type cannot hold it.
Number fitted(Number value, clang::QualType type, const clang::ASTContext& context);

}  // namespace op2::jit
