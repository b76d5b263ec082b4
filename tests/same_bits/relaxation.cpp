// SPDX-License-Identifier: BSD-3-Clause
// Elements that use what others of the same loop have changed: edges of a square that even out the
// values of their ends one after the other, and cells that take from their neighbours.
#include <array>
#include <vector>

#include <same_bits/problem.hpp>

namespace op2::test {
namespace {

constexpr int side = 24;  ///< nodes on each side of the square

/// Of neighbours in the square, and across it.
std::vector<int> make_ends() {
  std::vector<int> ends;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const int node = y * side + x;
      if (x + 1 < side) ends.insert(ends.end(), {node, node + 1});
      if (y + 1 < side) ends.insert(ends.end(), {node, node + side});
      if ((x + y) % 5 == 0) ends.insert(ends.end(), {node, side * side - 1 - node});
    }
  return ends;
}

OP_KERNEL(begin, (const int* index, double* value, float* least), {
  value[0] = 1.0 / (1 + *index % 97);
  value[1] = 0.3 * (*index % 11);
  *least = 1000.f - *index % 313;
});
OP_KERNEL(even_out, (double* weight, double* a, double* b, double* sum), {
  const double half = 0.5 * (a[0] + b[0]);
  const double moved = (a[0] - half) * 0.7 + *weight;
  a[0] -= moved;
  b[0] += moved;
  a[1] = 0.6 * a[1] + 0.1 * b[1];
  b[1] = b[1] / 3 + a[1];
  *weight = 0.01 * moved;
  *sum += a[1];
});
OP_KERNEL(take_least, (const double* value, const float* near, float* own, double* taken), {
  const float reached = *near + 0.1f * static_cast<float>(value[1]);
  *taken += reached < *own ? 1 / (1 + value[0] * value[0]) : 0;
  *own = reached < *own ? reached : *own;
});

}  // namespace

void run_relaxation(const Problem& problem) {
  const std::vector<int> given = make_ends();
  const Indices of_node = new_indices(side * side, problem.numbering, 5),
                of_edge = new_indices(static_cast<int>(given.size() / 2), problem.numbering, 6);
  const auto rows = block_of(renumbered_map(given, 2, of_edge, of_node), 2);
  const auto numbers = block_of(of_node, 1);

  const op_set nodes = op_decl_set(static_cast<int>(numbers.size()), "nodes");
  const op_set edges = op_decl_set(static_cast<int>(rows.size() / 2), "edges");
  const op_map ends = op_decl_map(edges, nodes, 2, rows, "ends");
  const op_dat number = op_decl_dat(nodes, 1, numbers, "number");
  const op_dat value = op_decl_dat(nodes, 2, "double", static_cast<double*>(nullptr), "value"),
               taken = op_decl_dat(nodes, 1, "double", static_cast<double*>(nullptr), "taken"),
               weight = op_decl_dat(edges, 1, "double", static_cast<double*>(nullptr), "weight");
  const op_dat least = op_decl_dat(nodes, 1, "float", static_cast<float*>(nullptr), "least");
  const std::array<double, 1> nothing{};
  const op_global sum = op_decl_global(1, nothing.data(), "sum");
  op_partition("PTSCOTCH", "KWAY", nodes, ends, nullptr);

  op_par_loop(begin, "begin", nodes, op_arg_dat(number, OP_READ), op_arg_dat(value, OP_WRITE),
              op_arg_dat(least, OP_WRITE));
  for (int sweep = 1; sweep <= 8; ++sweep) {
    op_par_loop(even_out, "even_out", edges, op_arg_dat(weight, OP_RW),
                op_arg_dat(value, 0, ends, OP_RW), op_arg_dat(value, 1, ends, OP_RW),
                op_arg_gbl(sum, OP_INC));
    op_par_loop(take_least, "take_least", edges, op_arg_dat(value, 0, ends, OP_READ),
                op_arg_dat(least, 0, ends, OP_READ), op_arg_dat(least, 1, ends, OP_RW),
                op_arg_dat(taken, 1, ends, OP_INC));
    if (sweep % 4 != 0) continue;
    double found = 0;
    op_fetch_global(sum, &found);
    op_printf("sum %a\n", found);
  }
  op_print_dat_to_binfile(value, (problem.output + ".value").c_str());
  op_print_dat_to_binfile(least, (problem.output + ".least").c_str());
  op_print_dat_to_binfile(taken, (problem.output + ".taken").c_str());
}

}  // namespace op2::test
