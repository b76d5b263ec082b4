// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files under OP2's names; run with OP_MAPS_BASE_INDEX=1 and the name of a file.
#include "expect.h"

namespace {

void difference(const double* left, const double* right, double* edge) {
  *edge = *right - *left;
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 0);
  const char* const file = argv[1];
  const int size = 8;
  if (op_is_root()) remove(file);
  op_mpi_barrier();
  const Ring ring(size);
  int pairs[16];
  for (int e = 0; e < 8; ++e) {
    pairs[2 * e] = e + 1;
    pairs[2 * e + 1] = 8 - e;
  }
  op_dat table = op_decl_dat(ring.edges, 2, "int", pairs, "table");
  double factor = 2.5, read = 0;
  op_write_const_hdf5("factor", 1, "double", (char*)&factor, file);
  op_fetch_data_hdf5_file(table, file);
  op_fetch_data_hdf5_file_path(table, file, "mesh/ends");
  op_fetch_data_hdf5_file_path(ring.number, file, "mesh/number");
  op_get_const_hdf5("factor", 1, "double", (char*)&read, file);
  expect("factor", read, 2.5);

  op_set edges = op_decl_set_hdf5_infer_size(file, "edges_read", "table");
  op_set cells = op_decl_set_hdf5_infer_size(file, "cells_read", "mesh/number");
  op_map map = op_decl_map_hdf5(edges, cells, 2, file, "mesh/ends");
  op_dat number = op_decl_dat_hdf5(cells, 1, "double", file, "mesh/number");
  op_dat missing = op_decl_dat_hdf5(cells, 1, "double", file, "nothing");
  expect("missing", missing == NULL, 1);
  op_map no_map = op_decl_map_hdf5(edges, cells, 2, file, "mesh/nothing");
  expect("missing map", no_map == NULL, 1);
  expect("sizes", static_cast<double>(op_get_size(edges)), size);
  op_dat length = op_decl_dat(edges, 1, "double", (double*)NULL, "length");
  op_par_loop(difference, "difference", edges, op_arg_dat(number, 0, map, 1, "double", OP_READ),
              op_arg_dat(number, 1, map, 1, "double", OP_READ),
              op_arg_dat(length, -1, OP_ID, 1, "double", OP_WRITE));
  double values[8];
  op_fetch_data_idx(length, values, 0, 7);
  expect("edge 0", values[0], 7);
  expect("edge 6", values[6], 1 - 6);
  op_write_hdf5(file);
  op_set again = op_decl_set_hdf5(file, "edges");
  expect("dumped", static_cast<double>(op_get_size(again)), size);
  op_exit();
  return faults == 0 ? 0 : 1;
}
