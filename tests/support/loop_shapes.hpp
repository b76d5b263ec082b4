// SPDX-License-Identifier: BSD-3-Clause
// Shapes of loops, written briefly.
#pragma once

#include <jit/loop_shape.hpp>

namespace op2::test {

/// @param index  map and column by number; -1: direct
inline jit::ArgShape dat(int number, int dim, op_access access, int index = -1,
                         Type type = Type::f64) {
  return {.kind = OP_ARG_DAT,
          .access = access,
          .type = type,
          .dim = dim,
          .dat = number,
          .index = index};
}

inline jit::ArgShape global(int dim, op_access access, Type type = Type::f64) {
  return {.kind = OP_ARG_GBL, .access = access, .type = type, .dim = dim};
}

inline jit::ArgShape element_number(int index = -1) {
  return {.kind = OP_ARG_IDX, .access = OP_READ, .type = Type::i32, .index = index};
}

inline jit::ArgShape off(jit::ArgShape arg) {
  arg.active = false;
  arg.dat = arg.index = -1;
  return arg;
}

}  // namespace op2::test
