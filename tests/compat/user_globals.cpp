// SPDX-License-Identifier: BSD-3-Clause
// Globals and constants of a structure, which kernels read.
#define OP_USER_DATATYPES
#include "expect.h"

namespace {

point origin = {4, 0};

void move(const point* by, double* x) {
  *x += by->x + static_cast<double>(by->weight) + origin.x;
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 0);
  const Ring ring(10);
  op_decl_const(1, "point", &origin);
  point by[] = {{0.25, 0.5}, {100, 100}};
  op_par_loop(move, "move", ring.cells, op_arg_gbl(by, 2, "point", OP_READ),
              op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_RW));
  by[0].x = 1000;  // after the call: it must not matter
  double found = 0;
  op_fetch_data_idx(ring.number, &found, 3, 3);
  expect("moved", found, 3 + 0.25 + 0.5 + 4);
  op_exit();
  return faults == 0 ? 0 : 1;
}
