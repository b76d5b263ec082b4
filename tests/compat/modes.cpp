// SPDX-License-Identifier: BSD-3-Clause
// A kernel that assigns to an argument that it should add to. The check is switched off.
#include "op_seq.h"

void clear(double* sum) {
  sum[0] = 0;
}

int main(int argc, char** argv) {
  op_init(argc, argv, 0);
  const int count = 12;
  int next[count];
  double ones[count];
  for (int k = 0; k < count; ++k) {
    next[k] = (k + 1) % count;
    ones[k] = 1;
  }
  op_set cells = op_decl_set(count, "cells");
  op_map to_next = op_decl_map(cells, cells, 1, next, "to_next");
  op_dat sum = op_decl_dat(cells, 1, "double", ones, "sum");
  op_par_loop(clear, "clear", cells, op_arg_dat(sum, 0, to_next, 1, "double", OP_INC));
  op_exit();
  printf("it ran\n");
  return 0;
}
