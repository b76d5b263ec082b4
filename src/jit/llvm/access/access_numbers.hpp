// SPDX-License-Identifier: BSD-3-Clause
// Integers of a kernel that are known without running it.
#pragma once

#include <cstdint>
#include <optional>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

namespace op2::jit {

/// Nothing: unknown.
using Number = std::optional<std::int64_t>;

inline Number sum(Number a, Number b) {
  std::int64_t result = 0;
  return a && b && !__builtin_add_overflow(*a, *b, &result) ? Number(result) : std::nullopt;
}

/// The result of an operation; nothing if it is undefined or too large.
inline Number result_of(clang::BinaryOperatorKind operation, std::int64_t a, std::int64_t b) {
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

/// The number; nothing if a variable of this type cannot hold it.
inline Number fitted(Number value, clang::QualType type, const clang::ASTContext& context) {
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
