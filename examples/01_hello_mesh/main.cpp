// SPDX-License-Identifier: BSD-3-Clause
// Lesson 1: a mesh, data on it, and a loop. For one rank; lesson 4 is for several.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include <op2/op2.hpp>

// The kernel, executed for each edge: adds the length of the edge to its two end nodes.
OP_KERNEL(add_length, (const double* length, double* left, double* right), {
  *left += *length;
  *right += *length;
});

void run() {
  // A ring of six nodes; edge e connects nodes e and e + 1.
  const int size = 6;
  const std::vector<int> ends{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0};
  const std::vector<double> lengths{1, 2, 3, 4, 5, 6};

  const op_set nodes = op_decl_set(size, "nodes");
  const op_set edges = op_decl_set(size, "edges");
  const op_map ends_of_edge = op_decl_map(edges, nodes, 2, ends, "ends_of_edge");
  const op_dat length = op_decl_dat(edges, 1, lengths, "length");
  const op_dat sum = op_decl_dat<double>(nodes, 1, nullptr, "sum");

  // Two edges increment the same node: the library avoids the data race, for any number of threads.
  // The loop is queued here and executed when its result is needed.
  op_par_loop(add_length, "add_length", edges,
              op_arg_dat(length, OP_READ),
              op_arg_dat(sum, 0, ends_of_edge, OP_INC),
              op_arg_dat(sum, 1, ends_of_edge, OP_INC));

  std::vector<double> result(size);
  op_fetch_data(sum, result);
  for (int node = 0; node < size; ++node) op_printf("node %d: %g\n", node, result[node]);
}

int main(int argc, char** argv) {
  try {
    op_init(argc, argv);
    run();
    op_exit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());  // what is wrong, with names and numbers
    return EXIT_FAILURE;
  }
}
