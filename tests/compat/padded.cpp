// SPDX-License-Identifier: BSD-3-Clause
// Temporaries whose rows are longer than their values: floats that take eight bytes each, direct
// and through a map. Their loops are compiled.
#include "expect.h"

#include <vector>

namespace {

void set(float* own, const double* number) {
  own[0] = static_cast<float>(*number);
  own[1] = static_cast<float>(2 * *number);
}
void spread(const float* from, float* to) {
  to[0] += from[0];
  to[1] += from[1];
}
void sum(const float* own, const float* gathered, double* number) {
  *number = own[0] + own[1] + gathered[0] + gathered[1];
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 2);
  const int size = 3000;
  const Ring ring(size);
  const int wide = 2 * sizeof(float);
  op_dat own = op_decl_dat_temp_char(ring.cells, 2, "float", wide, "own");
  op_dat gathered = op_decl_dat_temp_char(ring.cells, 2, "float", wide, "gathered");
  expect("dim and size", own->dim * own->size, 2 * 16);
  op_par_loop(set, "set", ring.cells, op_arg_dat(own, -1, OP_ID, 2, "float", OP_WRITE),
              op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ));
  op_par_loop(spread, "spread", ring.edges, op_arg_dat(own, 0, ring.ends, 2, "float", OP_READ),
              op_arg_dat(gathered, 1, ring.ends, 2, "float", OP_INC));
  op_par_loop(sum, "sum", ring.cells, op_arg_dat(own, -1, OP_ID, 2, "float", OP_READ),
              op_arg_dat(gathered, -1, OP_ID, 2, "float", OP_READ),
              op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_WRITE));
  std::vector<double> found(size);
  op_fetch_data_idx(ring.number, found.data(), 0, size - 1);
  for (int c = 0; c < size; ++c) expect("cell", found[c], 3 * c + 3 * ((c + size - 1) % size));
  op_timing_output();
  op_exit();
  return faults == 0 ? 0 : 1;
}
