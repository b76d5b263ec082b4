// SPDX-License-Identifier: BSD-3-Clause
// Arguments that are several columns of a map at once.
#include "features.hpp"

namespace features {
namespace {

void gather(const double** corners, double* sum) {
  *sum = 0;
  for (int k = 0; k < 4; ++k) *sum += (k + 1) * corners[k][0];
}
void gather_loose(double* corners[3], double* sum) {  // READ without const, fewer than the map has
  *sum = corners[0][0] + 3 * corners[1][0] + 5 * corners[2][0];
}
void scatter(const double* weight, double** corners) {
  for (int k = 0; k < 4; ++k) corners[k][0] += (k + 1) * *weight;
}
void exchange_ends(double** ends) {
  const double old = ends[0][0];
  ends[0][0] = ends[1][0] + 1;
  ends[1][0] = 2 * old;
}
void three_of_each(const double** corners, double** sums) {
  for (int k = 0; k < 4; ++k)
    for (int d = 0; d < 3; ++d) sums[k][d] += corners[3 - k][d];
}
void mixed(const double** ends, const double* again, double** sums, double* first) {
  sums[0][0] += ends[0][0];
  sums[1][0] += ends[1][0];
  *first += 10 * *again;
}
void gather_if_there(const double** corners, const int* on, double** sums, double* own) {
  *own = 0;
  for (int k = 0; *on && k < 4; ++k) {
    *own += corners[k][0];
    sums[k][0] += corners[k][0];
  }
}

void vector_read(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), wanted(mesh.cells.total);
  op_dat in = declare(mesh.nodes, 1, x), sum = declare_zeros<double>(mesh.cells, 1);
  op_par_loop(gather, "gather", mesh.cells.set,
              op_arg_dat(in, -4, mesh.cells_to_nodes, 1, "double", OP_READ),
              op_arg_dat(sum, -1, OP_ID, 1, "double", OP_WRITE));
  for (int c = 0; c < wanted.size(); ++c)
    for (int k = 0; k < 4; ++k) wanted[c] += (k + 1) * x[mesh.cell_nodes[4 * c + k]];
  expect_dat("sum", sum, mesh.cells, 1, wanted);
}

void vector_of_fewer(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), wanted(mesh.cells.total);
  op_dat in = declare(mesh.nodes, 1, x), sum = declare_zeros<double>(mesh.cells, 1);
  op_par_loop(gather_loose, "gather_loose", mesh.cells.set,
              op_arg_dat(in, -3, mesh.cells_to_nodes, 1, "double", OP_READ),
              op_arg_dat(sum, -1, OP_ID, 1, "double", OP_WRITE));
  for (int c = 0; c < wanted.size(); ++c)
    for (int k = 0; k < 3; ++k) wanted[c] += (2 * k + 1) * x[mesh.cell_nodes[4 * c + k]];
  expect_dat("sum", sum, mesh.cells, 1, wanted);
}

void vector_inc(const Mesh& mesh) {
  Values<double> w = numbers<double>(mesh.cells.total, 2), wanted = numbers<double>(97, 3);
  op_dat weight = declare(mesh.cells, 1, w), out = declare(mesh.nodes, 1, wanted);
  op_par_loop(scatter, "scatter", mesh.cells.set,
              op_arg_dat(weight, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(out, -4, mesh.cells_to_nodes, 1, "double", OP_INC));
  for (int c = 0; c < w.size(); ++c)
    for (int k = 0; k < 4; ++k) wanted[mesh.cell_nodes[4 * c + k]] += (k + 1) * w[c];
  expect_dat("sum", out, mesh.nodes, 1, wanted);
}

void vector_rw(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  op_dat dat = declare(mesh.nodes, 1, x);
  for (int step = 0; step < 2; ++step) {
    op_par_loop(exchange_ends, "exchange_ends", mesh.pairs.set,
                op_arg_dat(dat, -2, mesh.pairs_to_nodes, 1, "double", OP_RW));
    for (int p = 0; p < mesh.pairs.total; ++p) {
      double &left = x[mesh.pair_nodes[2 * p]], &right = x[mesh.pair_nodes[2 * p + 1]];
      const double old = left;
      left = right + 1;
      right = 2 * old;
    }
  }
  expect_dat("value", dat, mesh.nodes, 1, x);
}

void vector_of_three(const Mesh& mesh) {
  Values<double> x = numbers<double>(3 * mesh.nodes.total, 1), wanted(x.size());
  op_dat in = declare(mesh.nodes, 3, x, "in", "double:soa");
  op_dat out = declare_zeros<double>(mesh.nodes, 3);
  op_par_loop(three_of_each, "three_of_each", mesh.cells.set,
              op_arg_dat(in, -4, mesh.cells_to_nodes, 3, "double:soa", OP_READ),
              op_arg_dat(out, -4, mesh.cells_to_nodes, 3, "double", OP_INC));
  for (int c = 0; c < mesh.cells.total; ++c)
    for (int k = 0; k < 4; ++k)
      for (int d = 0; d < 3; ++d)
        wanted[3 * mesh.cell_nodes[4 * c + k] + d] += x[3 * mesh.cell_nodes[4 * c + 3 - k] + d];
  expect_dat("sum", out, mesh.nodes, 3, wanted);
}

void vector_and_scalar(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), wanted(x.size());
  op_dat in = declare(mesh.nodes, 1, x), out = declare_zeros<double>(mesh.nodes, 1);
  op_par_loop(mixed, "mixed", mesh.edges.set,
              op_arg_dat(in, -2, mesh.edges_to_nodes, 1, "double", OP_READ),
              op_arg_dat(in, 1, mesh.edges_to_nodes, 1, "double", OP_READ),
              op_arg_dat(out, -2, mesh.edges_to_nodes, 1, "double", OP_INC),
              op_arg_dat(out, 0, mesh.edges_to_nodes, 1, "double", OP_INC));
  for (int e = 0; e < mesh.edges.total; ++e) {
    const int left = mesh.edge_nodes[2 * e], right = mesh.edge_nodes[2 * e + 1];
    wanted[left] += x[left] + 10 * x[right];
    wanted[right] += x[right];
  }
  expect_dat("sum", out, mesh.nodes, 1, wanted);
}

void vector_opt(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), sums(x.size());
  op_dat in = declare(mesh.nodes, 1, x), out = declare_zeros<double>(mesh.nodes, 1);
  op_dat own = declare_zeros<double>(mesh.cells, 1);
  for (int on : {1, 0, 1}) {
    Values<double> wanted(mesh.cells.total);
    op_par_loop(gather_if_there, "gather_if_there", mesh.cells.set,
                op_opt_arg_dat(on, in, -4, mesh.cells_to_nodes, 1, "double", OP_READ),
                op_arg_gbl(&on, 1, "int", OP_READ),
                op_opt_arg_dat(on, out, -4, mesh.cells_to_nodes, 1, "double", OP_INC),
                op_arg_dat(own, -1, OP_ID, 1, "double", OP_WRITE));
    for (int k = 0; on && k < 4 * mesh.cells.total; ++k) {
      wanted[k / 4] += x[mesh.cell_nodes[k]];
      sums[mesh.cell_nodes[k]] += x[mesh.cell_nodes[k]];
    }
    expect_dat(on ? "on" : "off", own, mesh.cells, 1, wanted);
  }
  int off = 0;
  op_par_loop(gather_if_there, "gather_if_there", mesh.cells.set,
              op_opt_arg_dat(0, NULL, -4, NULL, 1, "double", OP_READ),
              op_arg_gbl(&off, 1, "int", OP_READ),
              op_opt_arg_dat(0, NULL, -4, mesh.cells_to_nodes, 1, "double", OP_INC),
              op_arg_dat(own, -1, OP_ID, 1, "double", OP_WRITE));
  expect_dat("null", own, mesh.cells, 1, Values<double>(mesh.cells.total));
  expect_dat("sums", out, mesh.nodes, 1, sums);
}

}  // namespace

Features vector_features() {
  return {{"vector_read", vector_read},
          {"vector_of_fewer", vector_of_fewer},
          {"vector_inc", vector_inc},
          {"vector_rw", vector_rw},
          {"vector_of_three", vector_of_three},
          {"vector_and_scalar", vector_and_scalar},
          {"vector_opt", vector_opt}};
}

}  // namespace features
