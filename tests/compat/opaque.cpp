// SPDX-License-Identifier: BSD-3-Clause
// Rows of a structure, in a program with embedded kernel sources: the per-loop table says why a
// loop with them runs as function all the same.
#include "expect.h"

namespace {

struct ints {
  int first, second;
};

void halves(ints* own, const double* number) {
  own->first = static_cast<int>(*number);
  own->second = -own->first;
}
void sum(const ints* own, double* number) {
  *number = own->first + 2 * own->second;
}
void twice(double* number) {
  *number *= 2;
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 2);
  const Ring ring(40);
  op_dat pair = op_decl_dat_temp_char(ring.cells, 1, "ints", sizeof(ints), "pair");
  op_par_loop(halves, "halves", ring.cells, op_arg_dat(pair, -1, OP_ID, 1, "ints", OP_WRITE),
              op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ));
  op_par_loop(sum, "sum", ring.cells, op_arg_dat(pair, -1, OP_ID, 1, "ints", OP_READ),
              op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(twice, "twice", ring.cells, op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_RW));
  double value;
  op_fetch_data_idx(ring.number, &value, 9, 9);
  expect("cell 9", value, 2 * (9 - 2 * 9));
  op_timing_output();
  op_exit();
  return faults == 0 ? 0 : 1;
}
