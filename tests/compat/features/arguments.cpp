// SPDX-License-Identifier: BSD-3-Clause
// Arguments that are read without const, and arguments that are on or off.
#include "features.hpp"

namespace features {
namespace {

void twice(double* in, double* out) {  // READ without const
  *out = 2 * *in;
}
void add_ends(double* left, double* right, double* sum) {
  *sum += *left + 2 * *right;
}
void add_if_there(const double* in, const double* more, const int* on, double* out) {
  *out = *in;
  if (*on) *out += *more;
}
void spread_if_there(const double* weight, const int* on, double* left, double* right) {
  *right += *weight;
  if (*on) *left += 2 * *weight;
}
void total_if_there(const double* in, const int* on, double* sum, const double* factor) {
  if (*on) *sum += *in * *factor;
}
void never(const double* in, double* out, double* sum) {
  if (in != NULL && out != NULL && sum != NULL) *sum += *out = *in;
}

void read_not_const(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), wanted(x), sums(mesh.edges.total);
  op_dat in = declare(mesh.nodes, 1, x), out = declare_zeros<double>(mesh.nodes, 1);
  op_dat sum = declare_zeros<double>(mesh.edges, 1);
  op_par_loop(twice, "twice", mesh.nodes.set, op_arg_dat(in, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(out, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(add_ends, "add_ends", mesh.edges.set,
              op_arg_dat(out, 0, mesh.edges_to_nodes, 1, "double", OP_READ),
              op_arg_dat(out, 1, mesh.edges_to_nodes, 1, "double", OP_READ),
              op_arg_dat(sum, -1, OP_ID, 1, "double", OP_INC));
  for (int k = 0; k < wanted.size(); ++k) wanted[k] = 2 * x[k];
  for (int e = 0; e < sums.size(); ++e)
    sums[e] = wanted[mesh.edge_nodes[2 * e]] + 2 * wanted[mesh.edge_nodes[2 * e + 1]];
  expect_dat("direct", out, mesh.nodes, 1, wanted);
  expect_dat("through a map", sum, mesh.edges, 1, sums);
}

void opt_dat(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), y = numbers<double>(x.size(), 2);
  op_dat in = declare(mesh.nodes, 1, x), more = declare(mesh.nodes, 1, y);
  op_dat out = declare_zeros<double>(mesh.nodes, 1);
  for (int on : {1, 0, 1}) {
    op_par_loop(add_if_there, "add_if_there", mesh.nodes.set,
                op_arg_dat(in, -1, OP_ID, 1, "double", OP_READ),
                op_opt_arg_dat(on, more, -1, OP_ID, 1, "double", OP_READ),
                op_arg_gbl(&on, 1, "int", OP_READ),
                op_arg_dat(out, -1, OP_ID, 1, "double", OP_WRITE));
    Values<double> wanted(x);
    for (int k = 0; k < x.size(); ++k) wanted[k] += on * y[k];
    expect_dat(on ? "on" : "off", out, mesh.nodes, 1, wanted);
  }
}

void opt_dat_increment(const Mesh& mesh) {
  Values<double> w = numbers<double>(mesh.edges.total, 3), wanted(mesh.nodes.total);
  op_dat weight = declare(mesh.edges, 1, w), out = declare_zeros<double>(mesh.nodes, 1);
  for (int on : {0, 1, 0}) {
    op_par_loop(spread_if_there, "spread_if_there", mesh.edges.set,
                op_arg_dat(weight, -1, OP_ID, 1, "double", OP_READ),
                op_arg_gbl(&on, 1, "int", OP_READ),
                op_opt_arg_dat(on, out, 0, mesh.edges_to_nodes, 1, "double", OP_INC),
                op_arg_dat(out, 1, mesh.edges_to_nodes, 1, "double", OP_INC));
    for (int e = 0; e < w.size(); ++e) {
      wanted[mesh.edge_nodes[2 * e]] += 2 * on * w[e];
      wanted[mesh.edge_nodes[2 * e + 1]] += w[e];
    }
  }
  expect_dat("sum", out, mesh.nodes, 1, wanted);
}

void opt_dat_null(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), w = numbers<double>(mesh.edges.total, 3);
  Values<double> wanted(mesh.nodes.total);
  op_dat in = declare(mesh.nodes, 1, x), weight = declare(mesh.edges, 1, w);
  op_dat copy = declare_zeros<double>(mesh.nodes, 1), out = declare_zeros<double>(mesh.nodes, 1);
  int on = 0;
  op_par_loop(
      add_if_there, "add_if_there", mesh.nodes.set, op_arg_dat(in, -1, OP_ID, 1, "double", OP_READ),
      op_opt_arg_dat(0, NULL, -1, OP_ID, 1, "double", OP_READ), op_arg_gbl(&on, 1, "int", OP_READ),
      op_arg_dat(copy, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(spread_if_there, "spread_if_there", mesh.edges.set,
              op_arg_dat(weight, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&on, 1, "int", OP_READ),
              op_opt_arg_dat(0, NULL, 0, NULL, 1, "double", OP_INC),
              op_arg_dat(out, 1, mesh.edges_to_nodes, 1, "double", OP_INC));
  for (int e = 0; e < w.size(); ++e) wanted[mesh.edge_nodes[2 * e + 1]] += w[e];
  expect_dat("direct", copy, mesh.nodes, 1, x);
  expect_dat("through a map", out, mesh.nodes, 1, wanted);
}

void opt_global(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  op_dat in = declare(mesh.nodes, 1, x);
  double sum = 5, factor = 3, wanted = 5;
  for (int on : {0, 1}) {
    op_par_loop(total_if_there, "total_if_there", mesh.nodes.set,
                op_arg_dat(in, -1, OP_ID, 1, "double", OP_READ), op_arg_gbl(&on, 1, "int", OP_READ),
                op_opt_arg_gbl(on, &sum, 1, "double", OP_INC),
                op_opt_arg_gbl(on, &factor, 1, "double", OP_READ));
    for (int k = 0; k < x.size(); ++k) wanted += on * factor * x[k];
    expect(on ? "on" : "off", sum, wanted);
  }
  int off = 0;
  op_par_loop(total_if_there, "total_if_there", mesh.nodes.set,
              op_arg_dat(in, -1, OP_ID, 1, "double", OP_READ), op_arg_gbl(&off, 1, "int", OP_READ),
              op_opt_arg_gbl(0, static_cast<double*>(NULL), 1, "double", OP_INC),
              op_arg_gbl(static_cast<double*>(NULL), 1, "double", OP_READ));
  expect("null", sum, wanted);
}

void all_args_off(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  op_dat in = declare(mesh.nodes, 1, x), out = declare(mesh.nodes, 1, x);
  double sum = 7;
  op_par_loop(never, "never", mesh.edges.set,
              op_opt_arg_dat(0, in, 0, mesh.edges_to_nodes, 1, "double", OP_READ),
              op_opt_arg_dat(0, out, 1, mesh.edges_to_nodes, 1, "double", OP_WRITE),
              op_opt_arg_gbl(0, &sum, 1, "double", OP_INC));
  op_par_loop(never, "never", mesh.nodes.set,
              op_opt_arg_dat(0, in, -1, OP_ID, 1, "double", OP_READ),
              op_opt_arg_dat(0, NULL, -1, OP_ID, 1, "double", OP_WRITE),
              op_opt_arg_gbl(0, &sum, 1, "double", OP_INC));
  expect_dat("dat", out, mesh.nodes, 1, x);
  expect("global", sum, 7.0);
}

}  // namespace

Features argument_features() {
  return {{"read_not_const", read_not_const},
          {"opt_dat", opt_dat},
          {"opt_dat_increment", opt_dat_increment},
          {"opt_dat_null", opt_dat_null},
          {"opt_global", opt_global},
          {"all_args_off", all_args_off}};
}

}  // namespace features
