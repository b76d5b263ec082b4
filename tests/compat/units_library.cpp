// SPDX-License-Identifier: BSD-3-Clause
#include "op_seq.h"

void add_in_library(op_set cells, op_dat dat);

static void add(double* value) {
  *value += 100;
}

__attribute__((visibility("default"))) void add_in_library(op_set cells, op_dat dat) {
  op_par_loop(add, "add", cells, op_arg_dat(dat, -1, OP_ID, 1, "double", OP_RW));
}
