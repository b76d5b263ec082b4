// SPDX-License-Identifier: BSD-3-Clause
// op_partition by a name that is no partitioner: every rank keeps what it declared, of each set.
#include "expect.h"

namespace {

void add(const double* weight, double* left, double* right) {
  *left += *weight;
  *right += *weight;
}

/// Rows on this rank that another one has declared.
int strangers_in(op_dat ranks, int rank) {
  op_download_dat(ranks);
  int count = 0;
  for (int k = 0; k < ranks->set->size; ++k)
    count += reinterpret_cast<int*>(ranks->data)[k] != rank;
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 0);
  int rank = 0;
  op_rank(&rank);
  // Blocks of different sizes; the edges of a rank join cells that others have.
  const int cells_here = 4 + rank, edges_here = 7;
  const int ranks = static_cast<int>(op_get_size(op_decl_set(1, "ranks")));
  const int all = 4 * ranks + ranks * (ranks - 1) / 2;
  int pairs[14], edge_ranks[7], cell_ranks[32];
  double ones[7];
  for (int e = 0; e < edges_here; ++e) {
    pairs[2 * e] = (all - 1 - 7 * rank - e + 7 * all) % all;
    pairs[2 * e + 1] = (pairs[2 * e] + 1) % all;
    edge_ranks[e] = rank;
    ones[e] = 1;
  }
  for (int c = 0; c < cells_here; ++c) cell_ranks[c] = rank;
  op_set cells = op_decl_set(cells_here, "cells"), edges = op_decl_set(edges_here, "edges");
  op_map ends = op_decl_map(edges, cells, 2, pairs, "ends");
  op_dat of_edges = op_decl_dat(edges, 1, "int", edge_ranks, "of_edges");
  op_dat of_cells = op_decl_dat(cells, 1, "int", cell_ranks, "of_cells");
  op_dat weight = op_decl_dat(edges, 1, "double", ones, "weight");
  op_dat sum = op_decl_dat(cells, 1, "double", static_cast<double*>(NULL), "sum");
  op_partition(argc > 1 ? argv[1] : "", "", edges, ends, NULL);
  expect("cells", cells->size, cells_here);
  expect("edges", edges->size, edges_here);
  expect("edges of others", strangers_in(of_edges, rank), 0);
  expect("cells of others", strangers_in(of_cells, rank), 0);
  op_par_loop(add, "add", edges, op_arg_dat(weight, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(sum, 0, ends, 1, "double", OP_INC),
              op_arg_dat(sum, 1, ends, 1, "double", OP_INC));
  double found[32] = {}, total = 0;
  op_fetch_data_idx(sum, found, 0, all - 1);
  for (int c = 0; c < all; ++c) total += found[c];
  expect("ends of edges", total, 2 * edges_here * ranks);
  op_exit();
  return faults == 0 ? 0 : 1;
}
