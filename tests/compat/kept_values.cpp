// SPDX-License-Identifier: BSD-3-Clause
// OP_WRITE in the older, looser sense: kernels that set a row only sometimes, or read it first.
// What was there before stays, on any number of ranks, with and without the kernels' sources.
#include "expect.h"

#include <vector>

namespace {

const int size = 60, steps = 3;

void start(double* level, const double* number) {
  level[0] = number[0] + 1;
}
void drain(double* level, const double* number) {
  if ((int)number[0] % 3 == 0) level[0] = 0;
}
void evaporate(double* level) {
  level[0] = level[0] * 0.5;
}
void overflow(const double* left, double* right) {
  if (left[0] > 8) right[0] = 8;
}
void flow(const double* left, const double* right, double* through) {
  through[0] = left[0] - right[0];
}

/// The same without the library.
struct Expected {
  std::vector<double> level, through;

  Expected() : level(size), through(size) {
    for (int c = 0; c < size; ++c) level[c] = c + 1;
    for (int step = 0; step < steps; ++step) advance();
  }
  void advance() {
    for (int c = 0; c < size; c += 3) level[c] = 0;
    for (int c = 0; c < size; ++c) level[c] *= 0.5;
    std::vector<double> limited(level);
    for (int e = 0; e < size; ++e)
      if (e > 8) limited[(e + 1) % size] = 8;
    level = limited;
    for (int e = 0; e < size; ++e) through[e] = level[e] - level[(e + 1) % size];
  }
};

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 0);
  const Ring ring(size);
  op_dat level = op_decl_dat(ring.cells, 1, "double", (double*)NULL, "level");
  op_dat through = op_decl_dat(ring.edges, 1, "double", (double*)NULL, "through");
  op_dat of_edge = op_decl_dat(ring.edges, 1, "double", (double*)NULL, "of_edge");
  op_partition("PTSCOTCH", "KWAY", ring.cells, ring.ends, NULL);
  op_par_loop(flow, "number_edges", ring.edges,  // each edge has the number of its first cell
              op_arg_dat(ring.number, 0, ring.ends, 1, "double", OP_READ),
              op_arg_dat(level, 0, ring.ends, 1, "double", OP_READ),
              op_arg_dat(of_edge, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(start, "start", ring.cells, op_arg_dat(level, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ));
  for (int step = 0; step < steps; ++step) {
    op_par_loop(drain, "drain", ring.cells, op_arg_dat(level, -1, OP_ID, 1, "double", OP_WRITE),
                op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ));
    op_par_loop(evaporate, "evaporate", ring.cells,
                op_arg_dat(level, -1, OP_ID, 1, "double", OP_WRITE));
    op_par_loop(overflow, "overflow", ring.edges,
                op_arg_dat(of_edge, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(level, 1, ring.ends, 1, "double", OP_WRITE));
    op_par_loop(flow, "flow", ring.edges, op_arg_dat(level, 0, ring.ends, 1, "double", OP_READ),
                op_arg_dat(level, 1, ring.ends, 1, "double", OP_READ),
                op_arg_dat(through, -1, OP_ID, 1, "double", OP_WRITE));
  }
  const Expected expected;
  double found[size];
  op_fetch_data_idx(level, found, 0, size - 1);
  for (int c = 0; c < size; ++c) expect("level", found[c], expected.level[c]);
  op_fetch_data_idx(through, found, 0, size - 1);
  for (int e = 0; e < size; ++e) expect("flow", found[e], expected.through[e]);
  op_exit();
  return faults == 0 ? 0 : 1;
}
