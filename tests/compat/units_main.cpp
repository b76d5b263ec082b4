// SPDX-License-Identifier: BSD-3-Clause
// Two units and a library that all use the headers, with kernels of the same name that differ.
#include "expect.h"

void add_in_unit(op_set cells, op_dat dat);
void add_in_library(op_set cells, op_dat dat);

inline void scale(double* value) {
  *value = *value * 2 + 1;
}

static void add(double* value) {
  *value += 1;
}

int main(int argc, char** argv) {
  op_init(argc, argv, 2);
  const Ring ring(16);
  op_par_loop(add, "add", ring.cells, op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_RW));
  add_in_unit(ring.cells, ring.number);
  add_in_library(ring.cells, ring.number);
  op_par_loop(scale, "scale", ring.cells, op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_RW));
  double value;
  op_fetch_data_idx(ring.number, &value, 5, 5);
  expect("cell 5", value, 2 * (5 + 1 + 10 + 100) + 1);
  op_exit();
  return faults == 0 ? 0 : 1;
}
