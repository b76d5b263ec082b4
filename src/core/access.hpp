// SPDX-License-Identifier: BSD-3-Clause
// Names of the access modes. Header only: the JIT plug-in uses it too.
#pragma once

#include <array>
#include <cstddef>

#include <op2/types.hpp>

namespace op2::core {

/// Names in cache keys and generated code, indexed by access mode.
inline constexpr std::array access_words{"read", "write", "rw", "inc", "min", "max"};

/// "OP_READ", "OP_WRITE", ...; an invalid value, which a program may have cast, has a name too.
constexpr const char* name_of(op_access access) {
  constexpr std::array names{"OP_READ", "OP_WRITE", "OP_RW", "OP_INC", "OP_MIN", "OP_MAX"};
  return access >= OP_READ && access <= OP_MAX ? names[static_cast<std::size_t>(access)]
                                               : "an unknown access";
}

/// A minimum or maximum.
constexpr bool is_extreme(op_access access) {
  return access == OP_MIN || access == OP_MAX;
}

/// Whether a row or a global combines what elements give, in whatever order they come, if all of
/// them access it by this mode, and a row through maps.
constexpr bool is_combined(op_access access) {
  return access == OP_INC || is_extreme(access);
}

/// Precondition: a valid mode.
constexpr const char* word_of(op_access access) {
  return access_words.at(static_cast<std::size_t>(access));
}

}  // namespace op2::core
