// SPDX-License-Identifier: BSD-3-Clause
// Run with OP_MAPS_BASE_INDEX=1 and other words of OP2 among the arguments.
#include "expect.h"

namespace {

void take(const double* left, const double* right, double* edge) {
  *edge = *right - *left;
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 0);
  expect("base", OP_maps_base_index, 1);
  expect("words", OP_block_size + OP_part_size, 512 + 32);
  const int size = 10;
  const Ring ring(size);
  ll back[10];
  for (int c = 0; c < size; ++c) back[c] = size - c;  // to edges 9, 8, ..., counted from one
  op_map mirror = op_decl_map_long(ring.cells, ring.edges, 1, back, "mirror");
  op_dat step = op_decl_dat(ring.edges, 1, "double", (double*)NULL, "step");
  op_dat moved = op_decl_dat(ring.cells, 1, "double", (double*)NULL, "moved");
  op_par_loop(take, "take", ring.edges, op_arg_dat(ring.number, 0, ring.ends, 1, "double", OP_READ),
              op_arg_dat(ring.number, 1, ring.ends, 1, "double", OP_READ),
              op_arg_dat(step, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(take, "take_back", ring.cells,
              op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(step, 0, mirror, 1, "double", OP_READ),
              op_arg_dat(moved, -1, OP_ID, 1, "double", OP_WRITE));
  double values[10];
  op_fetch_data_idx(step, values, 8, 9);
  expect("edge 8", values[0], 1);
  expect("edge 9", values[1], -9);
  op_fetch_data_idx(moved, values, 0, 9);
  expect("cell 0", values[0], -9 - 0);
  expect("cell 4", values[4], 1 - 4);
  op_exit();
  return faults == 0 ? 0 : 1;
}
