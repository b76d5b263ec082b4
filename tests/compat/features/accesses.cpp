// SPDX-License-Identifier: BSD-3-Clause
// Ways to write that are easily done wrong: to one element several times, and after it was read.
#include "features.hpp"

namespace features {
namespace {

void spread(const double* weight, double* left, double* right) {
  *left += *weight;
  *right -= 2 * *weight;
}
void corners(const double* weight, double* a, double* b, double* c, double* d) {
  *a += *weight;
  *b += 2 * *weight;
  *c += 3 * *weight;
  *d += 4 * *weight;
}
void improve(const double* change, double* value, double* squares) {
  *value += *change;
  *squares += *value * *value;  // of an argument that is OP_INC, directly
}
void set_both(const double* left, const double* right, double* out_left, double* out_right) {
  *out_left = 2 * *left;
  *out_right = 2 * *right;
}
void set_start(const double* start, double* out) {
  for (int k = 0; k < 4; ++k) out[k] = *start + k;
}
void set_halves(const double* left, const double* right, double* out_left, double* out_right) {
  out_left[2] = *left;
  if (*left > 3) out_left[3] = 2 * *left;
  out_right[0] = *right;
  out_right[1] = 2 * *right;
}
void mark(int* node) {
  *node = 7;
}
void swap_ends(double* left, double* right) {
  const double old = *left;
  *left = *right;
  *right = old + 1;
}
void average(const double* left, const double* right, double* sum) {
  *sum += *left + *right;
}
void average_of_4(const double* left, const double* right, double* sum) {
  for (int k = 0; k < 4; ++k) *sum += (k + 1) * left[k] + right[k];
}
void relax(double* sum, double* value) {
  *value += *sum;
  *sum = 0;
}
void many(const double* a0, const double* a1, const double* a2, const double* a3, const double* a4,
          const double* a5, const double* a6, const double* a7, const double* a8, const double* a9,
          const int* edge, const int* left, const int* right, const double* g0, const double* g1,
          const double* g2, double* own, double* rw, double* i0, double* i1, double* sum,
          double* least, double* most, int* count) {
  *own = *a0 + *a1 + *a2 + *a3 + *a4 + *a5 + *a6 + *a7 + *a8 + *a9;
  *rw = *rw * *g0 + *g1 + *g2;
  *i0 += *own;
  *i1 += 2;
  *sum += *edge + *left - *right;
  *least = MIN(*least, *own);
  *most = MAX(*most, *own);
  *count += 1;
}

void repeated_ends(const Mesh& mesh) {
  Values<double> w = numbers<double>(mesh.edges.total, 1), wanted(mesh.nodes.total);
  op_dat weight = declare(mesh.edges, 1, w), out = declare_zeros<double>(mesh.nodes, 1);
  op_par_loop(spread, "spread", mesh.edges.set, op_arg_dat(weight, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(out, 0, mesh.edges_to_nodes, 1, "double", OP_INC),
              op_arg_dat(out, 1, mesh.edges_to_nodes, 1, "double", OP_INC));
  int loops = 0;
  for (int e = 0; e < w.size(); ++e) {
    wanted[mesh.edge_nodes[2 * e]] += w[e];
    wanted[mesh.edge_nodes[2 * e + 1]] -= 2 * w[e];
    loops += mesh.edge_nodes[2 * e] == mesh.edge_nodes[2 * e + 1];
  }
  expect("the mesh has edges with equal ends", loops > 10, true);
  expect_dat("sum", out, mesh.nodes, 1, wanted);
}

void repeated_corners(const Mesh& mesh) {
  Values<double> w = numbers<double>(mesh.cells.total, 1), wanted(mesh.nodes.total);
  op_dat weight = declare(mesh.cells, 1, w), out = declare_zeros<double>(mesh.nodes, 1);
  op_par_loop(corners, "corners", mesh.cells.set,
              op_arg_dat(weight, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(out, 0, mesh.cells_to_nodes, 1, "double", OP_INC),
              op_arg_dat(out, 1, mesh.cells_to_nodes, 1, "double", OP_INC),
              op_arg_dat(out, 2, mesh.cells_to_nodes, 1, "double", OP_INC),
              op_arg_dat(out, 3, mesh.cells_to_nodes, 1, "double", OP_INC));
  for (int k = 0; k < 4 * w.size(); ++k) wanted[mesh.cell_nodes[k]] += (1 + k % 4) * w[k / 4];
  expect_dat("sum", out, mesh.nodes, 1, wanted);
}

void inc_reads_what_it_made(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), dx = numbers<double>(x.size(), 2);
  op_dat value = declare(mesh.nodes, 1, x), change = declare(mesh.nodes, 1, dx);
  double squares = 0, wanted = 0;
  op_par_loop(
      improve, "improve", mesh.nodes.set, op_arg_dat(change, -1, OP_ID, 1, "double", OP_READ),
      op_arg_dat(value, -1, OP_ID, 1, "double", OP_INC), op_arg_gbl(&squares, 1, "double", OP_INC));
  for (int k = 0; k < x.size(); ++k) {
    x[k] += dx[k];
    wanted += x[k] * x[k];
  }
  expect("squares", squares, wanted);
  expect_dat("value", value, mesh.nodes, 1, x);
}

void many_write_equal_values(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), wanted(x.size(), -5.0);
  Values<int> marks(x.size(), 1);
  op_dat in = declare(mesh.nodes, 1, x), out = declare(mesh.nodes, 1, wanted);
  op_dat marked = declare(mesh.nodes, 1, marks);
  op_par_loop(set_both, "set_both", mesh.edges.set,
              op_arg_dat(in, 0, mesh.edges_to_nodes, 1, "double", OP_READ),
              op_arg_dat(in, 1, mesh.edges_to_nodes, 1, "double", OP_READ),
              op_arg_dat(out, 0, mesh.edges_to_nodes, 1, "double", OP_WRITE),
              op_arg_dat(out, 1, mesh.edges_to_nodes, 1, "double", OP_WRITE));
  op_par_loop(mark, "mark", mesh.cells.set,
              op_arg_dat(marked, 2, mesh.cells_to_nodes, 1, "int", OP_WRITE));
  for (int node : mesh.edge_nodes) wanted[node] = 2 * x[node];
  for (int c = 0; c < mesh.cells.total; ++c) marks[mesh.cell_nodes[4 * c + 2]] = 7;
  expect_dat("value", out, mesh.nodes, 1, wanted);
  expect_dat("mark", marked, mesh.nodes, 1, marks);
}

/// What no element writes keeps its value, though a loop before has just made it.
void write_in_part_through_a_map(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), wanted(4 * mesh.nodes.total);
  Values<double> sums(mesh.edges.total);
  op_dat in = declare(mesh.nodes, 1, x), out = declare_zeros<double>(mesh.nodes, 4);
  op_dat sum = declare_zeros<double>(mesh.edges, 1);
  const auto end = [&](op_dat dat, int k, int access) {
    return op_arg_dat(dat, k, mesh.edges_to_nodes, dat->dim, "double", access);
  };
  for (int step = 0; step < 2; ++step) {
    op_par_loop(set_start, "set_start", mesh.nodes.set,
                op_arg_dat(in, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(out, -1, OP_ID, 4, "double", OP_WRITE));
    op_par_loop(set_halves, "set_halves", mesh.edges.set, end(in, 0, OP_READ), end(in, 1, OP_READ),
                end(out, 0, OP_WRITE), end(out, 1, OP_WRITE));
    op_par_loop(average_of_4, "average_of_4", mesh.edges.set, end(out, 0, OP_READ),
                end(out, 1, OP_READ), op_arg_dat(sum, -1, OP_ID, 1, "double", OP_INC));
  }
  for (int n = 0; n < x.size(); ++n) set_start(&x[n], &wanted[4 * n]);
  for (int e = 0; e < mesh.edges.total; ++e) {
    const int left = mesh.edge_nodes[2 * e], right = mesh.edge_nodes[2 * e + 1];
    set_halves(&x[left], &x[right], &wanted[4 * left], &wanted[4 * right]);
  }
  for (int step = 0; step < 2; ++step)
    for (int e = 0; e < mesh.edges.total; ++e)
      average_of_4(&wanted[4 * mesh.edge_nodes[2 * e]], &wanted[4 * mesh.edge_nodes[2 * e + 1]],
                   &sums[e]);
  expect_dat("value", out, mesh.nodes, 4, wanted);
  expect_dat("sum", sum, mesh.edges, 1, sums);
}

void rw_through_a_map(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), sums(mesh.edges.total);
  op_dat value = declare(mesh.nodes, 1, x), sum = declare_zeros<double>(mesh.edges, 1);
  for (int step = 0; step < 3; ++step) {
    op_par_loop(swap_ends, "swap_ends", mesh.pairs.set,
                op_arg_dat(value, 0, mesh.pairs_to_nodes, 1, "double", OP_RW),
                op_arg_dat(value, 1, mesh.pairs_to_nodes, 1, "double", OP_RW));
    op_par_loop(average, "average", mesh.edges.set,
                op_arg_dat(value, 0, mesh.edges_to_nodes, 1, "double", OP_READ),
                op_arg_dat(value, 1, mesh.edges_to_nodes, 1, "double", OP_READ),
                op_arg_dat(sum, -1, OP_ID, 1, "double", OP_INC));
    for (int p = 0; p < mesh.pairs.total; ++p)
      swap_ends(&x[mesh.pair_nodes[2 * p]], &x[mesh.pair_nodes[2 * p + 1]]);
    for (int k = 0; k < 2 * sums.size(); ++k) sums[k / 2] += x[mesh.edge_nodes[k]];
  }
  expect_dat("value", value, mesh.nodes, 1, x);
  expect_dat("sum", sum, mesh.edges, 1, sums);
}

/// Increments that are read through maps again and again: a chain of loops.
void many_loops(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), sums(mesh.nodes.total);
  op_dat value = declare(mesh.nodes, 1, x), sum = declare_zeros<double>(mesh.nodes, 1);
  for (int step = 0; step < 6; ++step) {
    op_par_loop(average, "average", mesh.edges.set,
                op_arg_dat(value, 0, mesh.edges_to_nodes, 1, "double", OP_READ),
                op_arg_dat(value, 1, mesh.edges_to_nodes, 1, "double", OP_READ),
                op_arg_dat(sum, 0, mesh.edges_to_nodes, 1, "double", OP_INC));
    op_par_loop(relax, "relax", mesh.nodes.set, op_arg_dat(sum, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(value, -1, OP_ID, 1, "double", OP_RW));
    for (int k = 0; k < 2 * mesh.edges.total; ++k)
      sums[mesh.edge_nodes[k / 2 * 2]] += x[mesh.edge_nodes[k]];
    for (int k = 0; k < x.size(); ++k) relax(&sums[k], &x[k]);
  }
  expect_dat("value", value, mesh.nodes, 1, x);
}

void arguments_24(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), r = numbers<double>(mesh.edges.total, 2);
  Values<double> owns(mesh.edges.total), incs(mesh.nodes.total);
  op_dat a = declare(mesh.nodes, 1, x), rw = declare(mesh.edges, 1, r);
  op_dat own = declare_zeros<double>(mesh.edges, 1), inc = declare_zeros<double>(mesh.nodes, 1);
  op_map map = mesh.edges_to_nodes;
  double g[3] = {2, 3, 4}, sum = 0, least = 1e9, most = -1, wanted[3] = {0, 1e9, -1};
  int count = 0;
  const auto read = [&](int k) { return op_arg_dat(a, k % 2, map, 1, "double", OP_READ); };
  const auto global = [](double* data, int access) {
    return op_arg_gbl(data, 1, "double", access);
  };
  op_par_loop(many, "many", mesh.edges.set, read(0), read(1), read(2), read(3), read(4), read(5),
              read(6), read(7), read(8), read(9), op_arg_idx(-1, OP_ID), op_arg_idx(0, map),
              op_arg_idx(1, map), global(&g[0], OP_READ), global(&g[1], OP_READ),
              global(&g[2], OP_READ), op_arg_dat(own, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_dat(rw, -1, OP_ID, 1, "double", OP_RW),
              op_arg_dat(inc, 0, map, 1, "double", OP_INC),
              op_arg_dat(inc, 1, map, 1, "double", OP_INC), global(&sum, OP_INC),
              global(&least, OP_MIN), global(&most, OP_MAX), op_arg_gbl(&count, 1, "int", OP_INC));
  for (int e = 0; e < mesh.edges.total; ++e) {
    const int left = mesh.edge_nodes[2 * e], right = mesh.edge_nodes[2 * e + 1];
    owns[e] = 5 * x[left] + 5 * x[right];
    r[e] = 2 * r[e] + 7;
    incs[left] += owns[e];
    incs[right] += 2;
    wanted[0] += e + left - right;
    wanted[1] = MIN(wanted[1], owns[e]);
    wanted[2] = MAX(wanted[2], owns[e]);
  }
  expect("sum", sum, wanted[0]);
  expect("least", least, wanted[1]);
  expect("most", most, wanted[2]);
  expect("count", count, mesh.edges.total);
  expect_dat("WRITE", own, mesh.edges, 1, owns);
  expect_dat("RW", rw, mesh.edges, 1, r);
  expect_dat("INC", inc, mesh.nodes, 1, incs);
}

}  // namespace

Features mesh_features() {
  return {{"repeated_ends", repeated_ends},
          {"repeated_corners", repeated_corners},
          {"inc_reads_what_it_made", inc_reads_what_it_made},
          {"many_write_equal_values", many_write_equal_values},
          {"write_in_part_through_a_map", write_in_part_through_a_map},
          {"rw_through_a_map", rw_through_a_map},
          {"many_loops", many_loops},
          {"arguments_24", arguments_24}};
}

}  // namespace features
