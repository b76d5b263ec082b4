// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files under OP2's names; run with OP_MAPS_BASE_INDEX=1 and the name of a file.
#include "expect.h"

namespace {

const int size = 8;

void difference(const double* left, const double* right, double* edge) {
  *edge = *right - *left;
}

/// A dat of the ends of edges, counted from one, as a table and as what others read as a map.
void write(const Ring& ring, const char* file) {
  int pairs[2 * size];
  for (int e = 0; e < size; ++e) {
    pairs[2 * e] = e + 1;
    pairs[2 * e + 1] = size - e;
  }
  op_dat table = op_decl_dat(ring.edges, 2, "int", pairs, "table");
  double factor = 2.5;
  op_write_const_hdf5("factor", 1, "real(8)", (char*)&factor, file);
  op_fetch_data_hdf5_file(table, file);
  op_fetch_data_hdf5_file_path(table, file, "mesh/ends");
  op_fetch_data_hdf5_file_path(ring.number, file, "mesh/number");
}

/// Expects of edge 0 and edge 6 what they have between their cells, which have their numbers as
/// values.
void expect_differences(op_set edges, op_map ends, op_dat number, double first, double seventh) {
  op_dat length = op_decl_dat_temp(edges, 1, "double", (double*)NULL, "length");
  op_par_loop(difference, "difference", edges, op_arg_dat(number, 0, ends, 1, "double", OP_READ),
              op_arg_dat(number, 1, ends, 1, "double", OP_READ),
              op_arg_dat(length, -1, OP_ID, 1, "double", OP_WRITE));
  double values[size];
  op_fetch_data_idx(length, values, 0, size - 1);
  expect("edge 0", values[0], first);
  expect("edge 6", values[6], seventh);
  op_free_dat_temp(length);
}

void read(const char* file) {
  double factor = 0;
  op_get_const_hdf5("factor", 1, "double", (char*)&factor, file);
  expect("factor", factor, 2.5);
  op_set edges = op_decl_set_hdf5_infer_size(file, "edges_read", "table");
  op_set cells = op_decl_set_hdf5_infer_size(file, "cells_read", "mesh/number");
  op_map map = op_decl_map_hdf5(edges, cells, 2, file, "mesh/ends");
  op_dat number = op_decl_dat_hdf5(cells, 1, "r8", file, "mesh/number");
  op_dat missing = op_decl_dat_hdf5(cells, 1, "double", file, "nothing");
  expect("missing", missing == NULL, 1);
  op_map no_map = op_decl_map_hdf5(edges, cells, 2, file, "mesh/nothing");
  expect("missing map", no_map == NULL, 1);
  expect("sizes", static_cast<double>(op_get_size(edges)), size);
  expect_differences(edges, map, number, 7, 1 - 6);
}

/// What was dumped is read by the same functions with the same base index.
void read_dump(const char* file) {
  op_write_hdf5(file);  // an older name of op_dump_to_hdf5
  op_set edges = op_decl_set_hdf5(file, "edges"), cells = op_decl_set_hdf5(file, "cells");
  expect("dumped", static_cast<double>(op_get_size(edges)), size);
  op_map ends = op_decl_map_hdf5(edges, cells, 2, file, "ends");
  op_dat number = op_decl_dat_hdf5(cells, 1, "double", file, "number");
  expect_differences(edges, ends, number, 1, 1);
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 0);
  const char* const file = argv[1];
  if (op_is_root()) remove(file);
  op_mpi_barrier();
  const Ring ring(size);
  write(ring, file);
  read(file);
  read_dump(file);
  op_exit();
  return faults == 0 ? 0 : 1;
}
