// SPDX-License-Identifier: BSD-3-Clause
// Kernels in all the forms that functions have.
#include "features.hpp"

#include "kernels.hpp"

#define FACTOR 3.0

static double offset = 2;

static double changed(double value) {
  return value * offset;
}
static void apply(double* value) {  // not the one of kernels_again.cpp
  *value = changed(*value);
}

namespace features {
namespace {

template <class T, int factor>
void times(const T* in, T* out) {
  *out = factor * *in;
}
template <int dim>
void sum_up(const double* in, double* sum) {
  for (int d = 0; d < dim; ++d) *sum += in[d];
}
void plus_one(const double* in, double* out) {
  *out = *in + 1;
}
void squared(const double* in, double* out) {
  *out = *in * *in;
}
void added(const double* in, double* out) {
  *out += *in;
}
void with_included_body(const double* in, double* out) {
#include "body_of_kernel.h"
}
void with_helpers(const double* in, double* out) {
  Point point = {*in, 2};
  scale(point, right_side);
  const Point other = {static_cast<double>(static_cast<int>(Colour::green)), left_side + 1.0};
  *out = polynomial(point.dot(other)) + static_cast<int>(Colour::red);
}
void with_mathematics(const double* in, double* out) {
  out[0] = std::sqrt(*in * *in);
  out[1] = fabs(-*in) + MAX(*in, 5.0) - MIN(*in, 5.0);
  out[2] = std::max(*in, 3.0) + std::min(*in, 4.0) + std::pow(2.0, 3.0);
  out[3] = std::isnan(*in) || std::isinf(*in) ? -1 : floor(*in / 2);
}
void with_branches(const double* in, double* out) {
  double copies[4];
  for (int k = 0; k < 4; ++k) copies[k] = *in + k;
  if (*in > 10) {
    *out = copies[0];
    return;
  }
  switch (static_cast<int>(*in) % 3) {
    case 0:
      *out = copies[1];
      break;
    case 1:
      *out = copies[2] * 2;
      break;
    default:
      *out = OP2_STRIDE(copies, 3);
  }
}

/// What `kernel` makes of the numbers of nodes.
op_dat made_by(const Mesh& mesh, Kernel kernel, const char* name) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  op_dat in = declare(mesh.nodes, 1, x), out = declare_zeros<double>(mesh.nodes, 1);
  op_par_loop(kernel, name, mesh.nodes.set, op_arg_dat(in, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(out, -1, OP_ID, 1, "double", OP_WRITE));
  return out;
}
/// Compares with what `wanted` makes of each number.
template <class Wanted>
void expect_made(const char* what, const Mesh& mesh, op_dat found, const Wanted& wanted) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  for (int k = 0; k < x.size(); ++k) x[k] = wanted(x[k]);
  expect_dat(what, found, mesh.nodes, 1, x);
}

void equal_names_in_units(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  op_dat dat = declare(mesh.nodes, 1, x);
  for (int step = 0; step < 2; ++step) {
    op_par_loop(apply, "apply", mesh.nodes.set, op_arg_dat(dat, -1, OP_ID, 1, "double", OP_RW));
    apply_in_another_unit(mesh.nodes.set, dat);
  }
  expect_made("value", mesh, dat, [](double v) { return (v * 2 + 3) * 2 + 3; });
}

void template_kernels(const Mesh& mesh) {
  expect_made("4", mesh, made_by(mesh, times<double, 4>, "times"), [](double v) { return 4 * v; });
  expect_made("5", mesh, made_by(mesh, times<double, 5>, "times"), [](double v) { return 5 * v; });
  Values<float> x = numbers<float>(mesh.nodes.total, 1);
  op_dat in = declare(mesh.nodes, 1, x), out = declare_zeros<float>(mesh.nodes, 1);
  op_par_loop(times<float, 4>, "times", mesh.nodes.set,
              op_arg_dat(in, -1, OP_ID, 1, "float", OP_READ),
              op_arg_dat(out, -1, OP_ID, 1, "float", OP_WRITE));
  for (int k = 0; k < x.size(); ++k) x[k] *= 4;
  expect_dat("float", out, mesh.nodes, 1, x);
}

void one_kernel_on_many_sets(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), edges(mesh.edges.total);
  Values<double> cells(mesh.cells.total), nodes(x.size());
  op_dat node = declare(mesh.nodes, 1, x), copy = declare_zeros<double>(mesh.nodes, 1);
  op_dat edge = declare_zeros<double>(mesh.edges, 1), cell = declare_zeros<double>(mesh.cells, 1);
  op_par_loop(added, "added", mesh.nodes.set, op_arg_dat(node, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(copy, -1, OP_ID, 1, "double", OP_INC));
  op_par_loop(added, "added", mesh.edges.set,
              op_arg_dat(node, 1, mesh.edges_to_nodes, 1, "double", OP_READ),
              op_arg_dat(edge, -1, OP_ID, 1, "double", OP_INC));
  op_par_loop(added, "added", mesh.cells.set,
              op_arg_dat(node, 3, mesh.cells_to_nodes, 1, "double", OP_READ),
              op_arg_dat(cell, -1, OP_ID, 1, "double", OP_INC));
  op_par_loop(added, "added", mesh.edges.set, op_arg_dat(edge, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(copy, 0, mesh.edges_to_nodes, 1, "double", OP_INC));
  for (int k = 0; k < x.size(); ++k) nodes[k] = x[k];
  for (int c = 0; c < cells.size(); ++c) cells[c] = x[mesh.cell_nodes[4 * c + 3]];
  for (int e = 0; e < edges.size(); ++e) {
    edges[e] = x[mesh.edge_nodes[2 * e + 1]];
    nodes[mesh.edge_nodes[2 * e]] += edges[e];
  }
  expect_dat("edges", edge, mesh.edges, 1, edges);
  expect_dat("cells", cell, mesh.cells, 1, cells);
  expect_dat("nodes", copy, mesh.nodes, 1, nodes);
}

void kernel_in_variable(const Mesh& mesh) {
  const Kernel kernels[] = {plus_one, squared};
  expect_made("first", mesh, made_by(mesh, kernels[0], "k"), [](double v) { return v + 1; });
  expect_made("second", mesh, made_by(mesh, kernels[1], "k"), [](double v) { return v * v; });
  void (*kernel)(const double*, double*) = mesh.nodes.total > 50 ? &squared : &plus_one;
  expect_made("chosen", mesh, made_by(mesh, kernel, "k"), [](double v) { return v * v; });
}

void kernel_of_another_unit(const Mesh& mesh) {
  expect_made("extern", mesh, made_by(mesh, of_another_unit, "of_another_unit"),
              [](double v) { return v - 7; });
  expect_made("pointer", mesh, made_by(mesh, chosen_in_another_unit(), "chosen"),
              [](double v) { return 3 * v + 3; });
  expect_made("header", mesh, made_by(mesh, inline_in_header, "another name"),
              [](double v) { return v + 100; });
}

void helpers(const Mesh& mesh) {
  expect_made("value", mesh, made_by(mesh, with_helpers, "with_helpers"), [](double v) {
    const double dot = 5 * v * 4 + 5 * 2 * 1;
    return 1 + dot * (0.5 + dot * 0.25) + 2;
  });
  expect_made("branches", mesh, made_by(mesh, with_branches, "with_branches"), [](double v) {
    if (v > 10) return v;
    return static_cast<int>(v) % 3 == 0 ? v + 1 : static_cast<int>(v) % 3 == 1 ? 2 * v + 4 : v + 3;
  });
}

void include_in_body(const Mesh& mesh) {
  Values<double> x = numbers<double>(2 * mesh.nodes.total, 1), wanted(x);
  op_dat in = declare(mesh.nodes, 2, x), out = declare_zeros<double>(mesh.nodes, 2);
  op_par_loop(with_included_body, "with_included_body", mesh.nodes.set,
              op_arg_dat(in, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(out, -1, OP_ID, 2, "double", OP_WRITE));
  for (int k = 0; k < x.size(); ++k) wanted[k] = 3 * x[k / 2 * 2 + 1 - k % 2];
  expect_dat("value", out, mesh.nodes, 2, wanted);
}

void mathematics(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), wanted(4 * x.size());
  op_dat in = declare(mesh.nodes, 1, x), out = declare_zeros<double>(mesh.nodes, 4);
  op_par_loop(with_mathematics, "with_mathematics", mesh.nodes.set,
              op_arg_dat(in, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(out, -1, OP_ID, 4, "double", OP_WRITE));
  for (int k = 0; k < x.size(); ++k) with_mathematics(&x[k], &wanted[4 * k]);
  expect_dat("value", out, mesh.nodes, 4, wanted);
}

void template_dims(const Mesh& mesh) {
  Values<double> x = numbers<double>(7 * mesh.nodes.total, 1);
  op_dat in = declare(mesh.nodes, 7, x);
  double sum = 0, wanted = 0;
  op_par_loop(&sum_up<7>, "sum_up", mesh.nodes.set, op_arg_dat(in, -1, OP_ID, 7, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  for (int k = 0; k < x.size(); ++k) wanted += x[k];
  expect("sum", sum, wanted);
}

}  // namespace

Features kernel_features() {
  return {{"equal_names_in_units", equal_names_in_units},
          {"template_kernels", template_kernels},
          {"template_dims", template_dims},
          {"one_kernel_on_many_sets", one_kernel_on_many_sets},
          {"kernel_in_variable", kernel_in_variable},
          {"kernel_of_another_unit", kernel_of_another_unit},
          {"helpers", helpers},
          {"include_in_body", include_in_body},
          {"mathematics", mathematics}};
}

}  // namespace features
