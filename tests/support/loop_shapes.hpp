// SPDX-License-Identifier: BSD-3-Clause
// Shapes of loops, written briefly.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// The nest of one call, whose parameters are `args` in their order.
inline LoopNest nest_of(KernelCall call, std::vector<ArgShape> args) {
  for (std::size_t k = 0; k < args.size(); ++k)
    call.args.push_back({.position = static_cast<std::int32_t>(k), .access = args[k].access});
  return {.calls = {std::move(call)}, .args = std::move(args)};
}

}  // namespace op2::jit

namespace op2::test {

/// Leads an argument through map 0. @param column  -1: it stays direct
inline jit::ArgShape through(jit::ArgShape arg, int column, int arity) {
  arg.map = column >= 0 ? 0 : -1;
  arg.column = column >= 0 ? column : 0;
  arg.arity = column >= 0 ? arity : 0;
  return arg;
}

/// @param column  of map 0; -1: direct
inline jit::ArgShape dat(int number, int dim, op_access access, int column = -1,
                         Type type = Type::f64, int arity = 2) {
  return through({.kind = OP_ARG_DAT, .access = access, .type = type, .dim = dim, .dat = number},
                 column, arity);
}

inline jit::ArgShape global(int dim, op_access access, Type type = Type::f64) {
  return {.kind = OP_ARG_GBL, .access = access, .type = type, .dim = dim};
}

inline jit::ArgShape element_number(int column = -1, int arity = 2) {
  return through({.kind = OP_ARG_IDX, .access = OP_READ, .type = Type::i32}, column, arity);
}

inline jit::ArgShape off(jit::ArgShape arg) {
  arg.active = false;
  arg.dat = arg.map = -1;
  return arg;
}

}  // namespace op2::test
