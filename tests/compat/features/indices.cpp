// SPDX-License-Identifier: BSD-3-Clause
// Numbers of elements, and what belongs to a minimum or maximum.
#include "features.hpp"

namespace features {
namespace {

void own_number(const int* number, int* out) {
  *out = *number;
}
void own_number_loose(int* number, int* out) {  // without const
  *out = *number;
}
void ends_of(const int* edge, const int* left, const int* right, int* sum, int* out) {
  out[0] = *left;
  out[1] = *right;
  *sum += *edge * (*left + 2 * *right);
}
void least_of(const double* value, const int* number, double* least, int* where) {
  if (*value < *least) {
    *least = *value;
    *where = *number;
  }
}
void greatest_of(const int* value, const double* place, int* greatest, double* where) {
  if (*value > *greatest) {
    *greatest = *value;
    for (int d = 0; d < 3; ++d) where[d] = place[d];
  }
}
void least_edge(const double* left, const double* right, const int* edge, float* least,
                int* where) {
  const float size = static_cast<float>(*left + *right);
  if (size < *least) {
    *least = size;
    *where = *edge;
  }
}

void idx_direct(const Mesh& mesh) {
  op_dat out = declare_zeros<int>(mesh.nodes, 1), again = declare_zeros<int>(mesh.nodes, 1);
  op_par_loop(own_number, "own_number", mesh.nodes.set, op_arg_idx(-1, OP_ID),
              op_arg_dat(out, -1, OP_ID, 1, "int", OP_WRITE));
  op_par_loop(own_number_loose, "own_number_loose", mesh.nodes.set, op_arg_idx(-1, OP_ID),
              op_arg_dat(again, -1, OP_ID, 1, "int", OP_WRITE));
  Values<int> wanted(mesh.nodes.total);
  for (int k = 0; k < wanted.size(); ++k) wanted[k] = k;
  expect_dat("number", out, mesh.nodes, 1, wanted);
  expect_dat("number, without const", again, mesh.nodes, 1, wanted);
}

void idx_map(const Mesh& mesh) {
  op_dat out = declare_zeros<int>(mesh.edges, 2);
  int sum = 0, total = 0;
  op_par_loop(ends_of, "ends_of", mesh.edges.set, op_arg_idx(-1, OP_ID),
              op_arg_idx(0, mesh.edges_to_nodes), op_arg_idx(1, mesh.edges_to_nodes),
              op_arg_gbl(&sum, 1, "int", OP_INC), op_arg_dat(out, -1, OP_ID, 2, "int", OP_WRITE));
  Values<int> wanted(2 * mesh.edges.total);
  for (int k = 0; k < wanted.size(); ++k) {
    wanted[k] = mesh.edge_nodes[k];
    total += k / 2 * (1 + k % 2) * wanted[k];
  }
  expect("sum", sum, total);
  expect_dat("ends", out, mesh.edges, 2, wanted);
}

/// The first element that has the extreme value.
template <class T>
int first_best(const Values<T>& values, bool least) {
  int best = 0;
  for (int k = 1; k < values.size(); ++k)
    if (least ? values[k] < values[best] : values[k] > values[best]) best = k;
  return best;
}

void info_min(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  x[58] = -4;
  op_dat value = declare(mesh.nodes, 1, x);
  double least = 1e9;
  int where = -1;
  op_par_loop(least_of, "least_of", mesh.nodes.set,
              op_arg_dat(value, -1, OP_ID, 1, "double", OP_READ), op_arg_idx(-1, OP_ID),
              op_arg_gbl(&least, 1, "double", OP_MIN), op_arg_info(&where, 1, "int", 2));
  expect("least", least, -4.0);
  expect("where", where, 58);
}

void info_ties(const Mesh& mesh) {
  for (int seed = 1; seed < 4; ++seed) {  // 97 numbers below 23: every one comes several times
    Values<double> x = numbers<double>(mesh.nodes.total, seed);
    op_dat value = declare(mesh.nodes, 1, x);
    double least = 1e9;
    int where = -1;
    op_par_loop(least_of, "least_of", mesh.nodes.set,
                op_arg_dat(value, -1, OP_ID, 1, "double", OP_READ), op_arg_idx(-1, OP_ID),
                op_arg_gbl(&least, 1, "double", OP_MIN), op_arg_info(&where, 1, "int", 2));
    expect("where", where, first_best(x, true));
    expect("least", least, x[first_best(x, true)]);
  }
}

void info_max(const Mesh& mesh) {
  Values<int> x = numbers<int>(mesh.nodes.total, 5);
  Values<double> places = numbers<double>(3 * mesh.nodes.total, 6);
  op_dat value = declare(mesh.nodes, 1, x), place = declare(mesh.nodes, 3, places);
  int greatest = -1;
  double where[3] = {-1, -1, -1};
  op_par_loop(greatest_of, "greatest_of", mesh.nodes.set,
              op_arg_dat(value, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(place, -1, OP_ID, 3, "double", OP_READ),
              op_arg_gbl(&greatest, 1, "int", OP_MAX), op_arg_info(where, 3, "double", 2));
  const int best = first_best(x, false);
  expect("greatest", greatest, x[best]);
  for (int d = 0; d < 3; ++d) expect("where", where[d], places[3 * best + d]);
}

void info_indirect(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 7), sums(mesh.edges.total);
  op_dat value = declare(mesh.nodes, 1, x);
  for (int e = 0; e < sums.size(); ++e)
    sums[e] = x[mesh.edge_nodes[2 * e]] + x[mesh.edge_nodes[2 * e + 1]];
  float least = 1e9f;
  int where = -1;
  op_par_loop(least_edge, "least_edge", mesh.edges.set,
              op_arg_dat(value, 0, mesh.edges_to_nodes, 1, "double", OP_READ),
              op_arg_dat(value, 1, mesh.edges_to_nodes, 1, "double", OP_READ),
              op_arg_idx(-1, OP_ID), op_arg_gbl(&least, 1, "float", OP_MIN),
              op_arg_info(&where, 1, "int", 3));
  expect("least", least, static_cast<float>(sums[first_best(sums, true)]));
  expect("where", where, first_best(sums, true));
}

void info_start_wins(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  op_dat value = declare(mesh.nodes, 1, x);
  const int last = number_of_ranks() - 1;
  for (const double start : {-100.0, 1e9}) {  // of the other ranks than the last
    double least = rank_of_this() == last ? -100 : start;
    int where = 4321;
    op_par_loop(least_of, "least_of", mesh.nodes.set,
                op_arg_dat(value, -1, OP_ID, 1, "double", OP_READ), op_arg_idx(-1, OP_ID),
                op_arg_gbl(&least, 1, "double", OP_MIN), op_arg_info(&where, 1, "int", 2));
    expect("least", least, -100.0);
    expect("where", where, 4321);
  }
}

}  // namespace

Features index_features() {
  return {{"idx_direct", idx_direct},
          {"idx_map", idx_map},
          {"info_min", info_min},
          {"info_ties", info_ties},
          {"info_max", info_max},
          {"info_indirect", info_indirect},
          {"info_start_wins", info_start_wins}};
}

}  // namespace features
