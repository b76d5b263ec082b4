// SPDX-License-Identifier: BSD-3-Clause
// OP_RW through a map where the kernels only add: where their sources are known these are
// increments, so that several ranks can run the loop, on all their threads.
#include "expect.h"

#include <vector>

namespace {

const int size = 120, steps = 4;

/// Half of the load of a beam is borne by each of its ends, the second notes it in another way.
void bear(double* first, double* second, const double* load) {
  for (int side = 0; side < 2; ++side) first[side] += 0.5 * load[0];
  second[0] = second[0] + 0.5 * load[0];
  second[1] -= -0.5 * load[0];
}
void shed(const double* borne, double* load) {
  *load = *borne + 1;
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 0);
  const Ring ring(size);
  op_dat load = op_decl_dat(ring.edges, 1, "double", (double*)NULL, "load");
  op_dat borne = op_decl_dat(ring.cells, 2, "double", (double*)NULL, "borne");
  op_partition("PTSCOTCH", "KWAY", ring.cells, ring.ends, NULL);
  double all = 0;
  for (int step = 0; step < steps; ++step) {
    op_par_loop(shed, "shed", ring.edges,
                op_arg_dat(ring.number, 0, ring.ends, 1, "double", OP_READ),
                op_arg_dat(load, -1, OP_ID, 1, "double", OP_WRITE));
    op_par_loop(bear, "bear", ring.edges, op_arg_dat(borne, 0, ring.ends, 2, "double", OP_RW),
                op_arg_dat(borne, 1, ring.ends, 2, "double", OP_RW),
                op_arg_dat(load, -1, OP_ID, 1, "double", OP_READ));
  }
  std::vector<double> found(2 * size);
  op_fetch_data_idx(borne, found.data(), 0, size - 1);
  for (int c = 0; c < size; ++c) {
    const int before = (c + size - 1) % size;
    expect("borne", found[2 * c], steps * 0.5 * (c + 1 + before + 1));
    expect("borne, too", found[2 * c + 1], found[2 * c]);
    all += found[2 * c];
  }
  expect("all", all, steps * 0.5 * size * (size + 1));
  op_exit();
  return faults == 0 ? 0 : 1;
}
