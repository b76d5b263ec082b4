// SPDX-License-Identifier: BSD-3-Clause
// A region with a loop, for tools.
#include <op2/op2.hpp>

OP_KERNEL(twice, (double* a), { *a *= 2; });

int main(int argc, char** argv) {
  op_init(argc, argv, 1);
  const op_set cells = op_decl_set(10, "cells");
  const op_dat a = op_decl_dat<double>(cells, 1, nullptr, "a");
  {
    const op_region step("step");
    op_par_loop(twice, "twice", cells, op_arg_dat(a, OP_RW));
    op_flush();
  }
  op_exit();
  return 0;
}
