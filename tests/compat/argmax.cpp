// SPDX-License-Identifier: BSD-3-Clause
// The element with the largest value, and the last one with the smallest, by op_arg_info: with
// embedded sources the first loop is compiled for all threads, the second runs in order.
#include "expect.h"

namespace {

void highest(const double* value, double* most, const int* number, int* where) {
  if (*value > *most) {
    *most = *value;
    *where = *number;
  }
}
void last_lowest(const double* value, double* least, const int* number, int* where) {
  if (*value <= *least) {
    *least = *value;
    *where = *number;
  }
}
void waves(double* value) {
  const int number = static_cast<int>(*value);
  *value = (number + 11) % 50;
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 2);
  const int size = 20000;
  const Ring ring(size);
  if (argc > 1) op_partition(argv[1], "", ring.cells, ring.ends, NULL);
  op_par_loop(waves, "waves", ring.cells, op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_RW));
  double most = -1, least = 1000;
  int first = -1, last = -1;
  op_par_loop(highest, "highest", ring.cells,
              op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&most, 1, "double", OP_MAX), op_arg_idx(-1, OP_ID),
              op_arg_info(&first, 1, "int", 1));
  op_par_loop(last_lowest, "last_lowest", ring.cells,
              op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&least, 1, "double", OP_MIN), op_arg_idx(-1, OP_ID),
              op_arg_info(&last, 1, "int", 1));
  expect("largest", most, 49);
  expect("first of the largest", first, 38);
  expect("smallest", least, 0);
  expect("one of the smallest", (last + 11) % 50, 0);
  op_timing_output();
  op_exit();
  return faults == 0 ? 0 : 1;
}
