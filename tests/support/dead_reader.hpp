// SPDX-License-Identifier: BSD-3-Clause
// A sum that a loop reads whose result is overwritten: whether that loop runs depends on what else
// is queued.
#pragma once

#include <vector>

#include <op2/op2.hpp>

namespace op2::test {

OP_KERNEL(add_half_an_ulp, (const double* x, double* sum), { *sum += *x; });
OP_KERNEL(take_sum, (const double* sum, double* taken), { *taken = *sum; });
OP_KERNEL(forget_sum, (double* taken), { *taken = 0; });

/// In a session: 1 and twice half an ulp. 1 if the sum is rounded where the loop in between reads
/// it, more if it is rounded once.
/// @param elements  of this rank; the terms are those of the first element of the root
inline double sum_around_a_dead_reader(int elements) {
  const op_set cells = op_decl_set(elements, "cells");
  std::vector<double> values(static_cast<std::size_t>(elements));
  if (op_is_root() && elements > 0) values[0] = 0x1p-53;
  const op_dat x = op_decl_dat(cells, 1, "double", values.data(), "x");
  const op_dat taken = op_decl_dat<double>(cells, 1, nullptr, "taken");
  const double one = 1;
  const op_global sum = op_decl_global(1, &one, "sum");
  op_par_loop(add_half_an_ulp, "add", cells, op_arg_dat(x, OP_READ), op_arg_gbl(sum, OP_INC));
  op_par_loop(take_sum, "take", cells, op_arg_gbl(sum, OP_READ), op_arg_dat(taken, OP_WRITE));
  op_par_loop(forget_sum, "forget", cells, op_arg_dat(taken, OP_WRITE));
  op_par_loop(add_half_an_ulp, "add", cells, op_arg_dat(x, OP_READ), op_arg_gbl(sum, OP_INC));
  double value = 0;
  op_fetch_global(sum, &value);
  return value;
}

}  // namespace op2::test
