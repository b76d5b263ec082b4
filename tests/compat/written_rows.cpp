// SPDX-License-Identifier: BSD-3-Clause
// Rows that the program writes itself: other ranks see them, however the program says so.
#include "expect.h"

#include <vector>

namespace {

const int size = 24;

void add_ends(const double* left, const double* right, double* edge) {
  *edge = *left + *right;
}

/// Every edge has the sum of its two cells, which all have one value.
void expect_sums(const char* what, const Ring& ring, op_dat sum, double of_cell) {
  op_par_loop(add_ends, "add_ends", ring.edges,
              op_arg_dat(ring.number, 0, ring.ends, 1, "double", OP_READ),
              op_arg_dat(ring.number, 1, ring.ends, 1, "double", OP_READ),
              op_arg_dat(sum, -1, OP_ID, 1, "double", OP_WRITE));
  double sums[size];
  op_fetch_data_idx(sum, sums, 0, size - 1);
  for (double found : sums) expect(what, found, 2 * of_cell);
}

/// Halos are not written: only who owns a row knows of its new value.
void write_owned(const Ring& ring, double value) {
  op_download_dat(ring.number);
  double* const values = (double*)ring.number->data;
  for (int c = 0; c < ring.cells->size; ++c) values[c] = value;
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 0);
  const Ring ring(size);
  op_dat sum = op_decl_dat(ring.edges, 1, "double", (double*)NULL, "sum");
  op_partition("PTSCOTCH", "KWAY", ring.cells, ring.ends, NULL);
  const int declared = op_is_root() ? size : 0;
  std::vector<double> ones(declared, 1.0);
  op_mpi_put_data(ring.number, ones.data(), declared);
  expect_sums("op_mpi_put_data", ring, sum, 1);
  write_owned(ring, 2);
  ring.number->dirtybit = 1;
  expect_sums("dirtybit", ring, sum, 2);
  write_owned(ring, 3);
  ring.number->dirty_hd = 1;
  expect_sums("dirty_hd", ring, sum, 3);
  write_owned(ring, 4);
  op_upload_dat(ring.number);
  expect_sums("op_upload_dat", ring, sum, 4);
  write_owned(ring, 5);
  op_upload_all();
  expect_sums("op_upload_all", ring, sum, 5);
  op_exit();
  return faults == 0 ? 0 : 1;
}
