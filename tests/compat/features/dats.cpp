// SPDX-License-Identifier: BSD-3-Clause
// Declarations of dats and maps in all forms, and how values come back.
#include "features.hpp"

namespace features {
namespace {

template <class T>
void spread_two(const T* weight, T* left, T* right) {
  for (int d = 0; d < 2; ++d) {
    left[d] += weight[d];
    right[d] += weight[1 - d];
  }
}
template <class T>
void copy_two(const T* in, T* out) {
  out[0] = in[1];
  out[1] = in[0];
}
void add_one(const double* in, double* out) {
  *out += *in;
}

template <class T>
void check_increment(const Mesh& mesh) {
  Values<T> w = numbers<T>(2 * mesh.edges.total, 1), wanted(2 * mesh.nodes.total);
  op_dat weight = declare(mesh.edges, 2, w), out = declare_zeros<T>(mesh.nodes, 2);
  const char* type = name_of_type<T>();
  op_par_loop(spread_two<T>, "spread_two", mesh.edges.set,
              op_arg_dat(weight, -1, OP_ID, 2, type, OP_READ),
              op_arg_dat(out, 0, mesh.edges_to_nodes, 2, type, OP_INC),
              op_arg_dat(out, 1, mesh.edges_to_nodes, 2, type, OP_INC));
  for (int k = 0; k < 2 * mesh.edges.total; ++k) {
    wanted[2 * mesh.edge_nodes[k / 2 * 2] + k % 2] += w[k];
    wanted[2 * mesh.edge_nodes[k / 2 * 2 + 1] + k % 2] += w[k / 2 * 2 + 1 - k % 2];
  }
  expect_dat(type, out, mesh.nodes, 2, wanted);
}
template <class T>
void check_copy(const Mesh& mesh) {
  Values<T> x = numbers<T>(2 * mesh.nodes.total, 1), wanted(x), taken(2 * mesh.edges.total);
  op_dat in = declare(mesh.nodes, 2, x), out = declare_zeros<T>(mesh.nodes, 2);
  op_dat ends = declare_zeros<T>(mesh.edges, 2);
  const char* type = name_of_type<T>();
  op_par_loop(copy_two<T>, "copy_two", mesh.nodes.set, op_arg_dat(in, -1, OP_ID, 2, type, OP_READ),
              op_arg_dat(out, -1, OP_ID, 2, type, OP_WRITE));
  op_par_loop(copy_two<T>, "copy_two", mesh.edges.set,
              op_arg_dat(out, 1, mesh.edges_to_nodes, 2, type, OP_READ),
              op_arg_dat(ends, -1, OP_ID, 2, type, OP_WRITE));
  for (int k = 0; k < x.size(); ++k) wanted[k] = x[k / 2 * 2 + 1 - k % 2];
  for (int k = 0; k < taken.size(); ++k) taken[k] = x[2 * mesh.edge_nodes[k / 2 * 2 + 1] + k % 2];
  expect_dat(type, out, mesh.nodes, 2, wanted);
  expect_dat(type, ends, mesh.edges, 2, taken);
}
void dat_types_inc(const Mesh& mesh) {
  check_increment<double>(mesh);
  check_increment<float>(mesh);
  check_increment<int>(mesh);
  check_increment<uint>(mesh);
  check_increment<ll>(mesh);
  check_increment<ull>(mesh);
  check_increment<bool>(mesh);
}
void dat_types_copy(const Mesh& mesh) {
  check_copy<double>(mesh);
  check_copy<float>(mesh);
  check_copy<int>(mesh);
  check_copy<uint>(mesh);
  check_copy<ll>(mesh);
  check_copy<ull>(mesh);
  check_copy<bool>(mesh);
}

void soa(const Mesh& mesh) {
  Values<double> w = numbers<double>(2 * mesh.edges.total, 1), wanted(2 * mesh.nodes.total);
  op_dat weight = declare(mesh.edges, 2, w, "weight", "double:soa");
  op_dat out = op_decl_dat(mesh.nodes.set, 2, "double:soa", static_cast<double*>(NULL), "out");
  op_par_loop(spread_two<double>, "spread_two", mesh.edges.set,
              op_arg_dat(weight, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(out, 0, mesh.edges_to_nodes, 2, "double:soa", OP_INC),
              op_arg_dat(out, 1, mesh.edges_to_nodes, 2, "double:soa", OP_INC));
  for (int k = 0; k < 2 * mesh.edges.total; ++k) {
    wanted[2 * mesh.edge_nodes[k / 2 * 2] + k % 2] += w[k];
    wanted[2 * mesh.edge_nodes[k / 2 * 2 + 1] + k % 2] += w[k / 2 * 2 + 1 - k % 2];
  }
  expect_dat("sum", out, mesh.nodes, 2, wanted);
}

void runtime_dim(const Mesh& mesh) {
  Values<double> x = numbers<double>(2 * mesh.nodes.total, 1), wanted(x);
  op_dat in = declare(mesh.nodes, 2, x), out = declare_zeros<double>(mesh.nodes, 2);
  op_par_loop(copy_two<double>, "copy_two", mesh.nodes.set,
              op_arg_dat(in, -1, OP_ID, in->dim, "double", OP_READ),
              op_arg_dat(out, -1, OP_ID, out->dim, "double", OP_WRITE));
  for (int k = 0; k < x.size(); ++k) wanted[k] = x[k / 2 * 2 + 1 - k % 2];
  expect_dat("copy", out, mesh.nodes, 2, wanted);
}

void dat_char(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  op_dat in = op_decl_dat_char(mesh.nodes.set, 1, "double", static_cast<int>(sizeof(double)),
                               reinterpret_cast<char*>(x.data() + mesh.nodes.begin), "in");
  op_dat out = op_decl_dat_char(mesh.nodes.set, 1, "double", 8, NULL, "out");
  op_par_loop(add_one, "add_one", mesh.nodes.set, op_arg_dat(in, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(out, -1, OP_ID, 1, "double", OP_INC));
  expect_dat("copy", out, mesh.nodes, 1, x);
  Values<double> found(mesh.nodes.size);
  op_fetch_data_char(in, reinterpret_cast<char*>(found.data()));
  for (int k = 0; k < found.size(); ++k) expect("fetched", found[k], x[mesh.nodes.begin + k]);
}

void arrays_are_copied(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1), changed(x);
  op_dat in = declare(mesh.nodes, 1, changed), out = declare_zeros<double>(mesh.nodes, 1);
  for (int k = 0; k < x.size(); ++k) changed[k] = -1;
  op_par_loop(add_one, "add_one", mesh.nodes.set, op_arg_dat(in, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(out, -1, OP_ID, 1, "double", OP_INC));
  expect_dat("copy", out, mesh.nodes, 1, x);
}

void fetch_data(const Mesh& mesh) {
  Values<double> x = numbers<double>(3 * mesh.edges.total, 1);
  op_dat dat = declare(mesh.edges, 3, x);
  Values<double> found(3 * mesh.edges.size, -1.0);
  op_fetch_data(dat, found.data());
  for (int k = 0; k < found.size(); ++k) expect("value", found[k], x[3 * mesh.edges.begin + k]);
}

void fetch_data_idx(const Mesh& mesh) {
  Values<int> x = numbers<int>(2 * mesh.nodes.total, 1);
  op_dat dat = declare(mesh.nodes, 2, x);
  const int ranges[][2] = {{0, 0}, {0, mesh.nodes.total - 1}, {13, 57}, {96, 96}};
  for (const int* range : ranges) {
    Values<int> found(2 * (range[1] - range[0] + 1) + 1, 99);
    op_fetch_data_idx(dat, found.data(), range[0], range[1]);
    for (int k = 0; k + 1 < found.size(); ++k) expect("value", found[k], x[2 * range[0] + k]);
    expect("behind the range", found[found.size() - 1], 99);
  }
}

void map_long(const Mesh& mesh) {
  const Part part = declare_part(mesh.edges.total, ("long_edges_" + mesh.name).c_str());
  Values<idx_g_t> entries(2 * part.size);
  for (int k = 0; k < entries.size(); ++k) entries[k] = mesh.edge_nodes[2 * part.begin + k];
  op_map map = op_decl_map_long(part.set, mesh.nodes.set, 2, part.size ? entries.data() : NULL,
                                ("long_map_" + mesh.name).c_str());
  Values<double> x = numbers<double>(mesh.nodes.total, 1), wanted(part.total);
  op_dat in = declare(mesh.nodes, 1, x), out = declare_zeros<double>(part, 1);
  for (int column = 0; column < 2; ++column)
    op_par_loop(add_one, "add_one", part.set, op_arg_dat(in, column, map, 1, "double", OP_READ),
                op_arg_dat(out, -1, OP_ID, 1, "double", OP_INC));
  for (int k = 0; k < 2 * part.total; ++k) wanted[k / 2] += x[mesh.edge_nodes[k]];
  expect_dat("sum", out, part, 1, wanted);
}

}  // namespace

Features dat_features() {
  return {{"dat_types_inc", dat_types_inc},
          {"dat_types_copy", dat_types_copy},
          {"soa", soa},
          {"runtime_dim", runtime_dim},
          {"dat_char", dat_char},
          {"arrays_are_copied", arrays_are_copied},
          {"fetch_data", fetch_data},
          {"fetch_data_idx", fetch_data_idx},
          {"map_long", map_long}};
}

}  // namespace features
