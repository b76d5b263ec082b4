// SPDX-License-Identifier: BSD-3-Clause
// What a user's first program looks like: three edges between four nodes, one loop. The kernel is
// source alone, so the program succeeds only if the library finds its compiler.
#include <op2/op2.hpp>

int main(int argc, char** argv) {
  op_init(argc, argv);
  const int ends[] = {0, 1, 1, 2, 2, 3};
  const double lengths[] = {1, 10, 100};
  op_set nodes = op_decl_set(4, "nodes");
  op_set edges = op_decl_set(3, "edges");
  op_map edge_nodes = op_decl_map(edges, nodes, 2, ends, "edge_nodes");
  op_dat length = op_decl_dat(edges, 1, lengths, "length");
  op_dat sum = op_decl_dat<double>(nodes, 1, nullptr, "sum");

  op_kernel add = op_decl_kernel("add", R"(
    void add(const double* length, double* left, double* right) {
      *left += *length;
      *right += *length;
    })");
  op_par_loop(add, "add", edges, op_arg_dat(length, OP_READ),
              op_arg_dat(sum, 0, edge_nodes, OP_INC), op_arg_dat(sum, 1, edge_nodes, OP_INC));

  double sums[4];
  op_fetch_data(sum, sums);
  op_printf("sums %g %g %g %g\n", sums[0], sums[1], sums[2], sums[3]);
  op_exit();
  return sums[0] == 1 && sums[1] == 11 && sums[2] == 110 && sums[3] == 100 ? 0 : 1;
}
