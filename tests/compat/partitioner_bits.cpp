// SPDX-License-Identifier: BSD-3-Clause
// OP2_REPRODUCIBLE=on: whether OP2_PARTITIONER replaces the name that op_partition gets, no
// partitioner, changes no bit, although coordinates decide the order.
#include <cstdlib>
#include <random>
#include <vector>

#include "expect.h"

namespace {

inline void add(const double* weight, double* left, double* right) {
  *left += *weight;
  *right += *weight;
}

/// A cube of nodes in random order, and edges between neighbours.
struct Cube {
  enum { side = 16, nodes = side * side * side };
  std::vector<int> ends;
  std::vector<double> places, weights;

  Cube() : places(3 * nodes) {
    std::vector<int> number(nodes);
    for (int k = 0; k < nodes; ++k) number[k] = k;
    std::mt19937 random(3);
    for (int k = nodes - 1; k > 0; --k)
      std::swap(number[k], number[random() % static_cast<unsigned>(k + 1)]);
    const int steps[] = {1, side, side * side};
    for (int k = 0; k < nodes; ++k)
      for (int axis = 0; axis < 3; ++axis) {
        const int place = k / steps[axis] % side;
        places[static_cast<std::size_t>(3 * number[k] + axis)] = place;
        if (place + 1 == side) continue;
        ends.push_back(number[k]);
        ends.push_back(number[k + steps[axis]]);
        weights.push_back(1.0 / static_cast<double>(1 + random() % 1000));
      }
  }
};

std::vector<double> sums(int argc, char** argv, const char* name, const char* partitioner) {
  setenv("OP2_PARTITIONER", partitioner, 1);
  op_init(argc, argv, 0);
  Cube cube;
  const op_set nodes = op_decl_set(Cube::nodes, "nodes");
  const op_set edges = op_decl_set(static_cast<int>(cube.weights.size()), "edges");
  const op_map ends = op_decl_map(edges, nodes, 2, cube.ends.data(), "ends");
  const op_dat places = op_decl_dat(nodes, 3, "double", cube.places.data(), "places");
  const op_dat weight = op_decl_dat(edges, 1, "double", cube.weights.data(), "weight");
  std::vector<double> sum(Cube::nodes);
  const op_dat sum_of = op_decl_dat(nodes, 1, "double", sum.data(), "sum");
  op_partition(name, "", nodes, ends, places);
  op_par_loop(add, "add", edges, op_arg_dat(weight, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(sum_of, 0, ends, 1, "double", OP_INC),
              op_arg_dat(sum_of, 1, ends, 1, "double", OP_INC));
  op_fetch_data(sum_of, sum.data());
  op_exit();
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("OP2_REPRODUCIBLE", "on", 1);
  const std::vector<double> as_declared = sums(argc, argv, "", "");
  expect("by blocks", as_declared == sums(argc, argv, "", "block"), 1);
  expect("by bisection", as_declared == sums(argc, argv, "INERTIAL", ""), 1);
  return faults == 0 ? 0 : 1;
}
