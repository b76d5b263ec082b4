// SPDX-License-Identifier: BSD-3-Clause
// With OP2_REPRODUCIBLE=on, elements that write different values to one row through OP_WRITE leave
// the same one on any number of ranks and threads.
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>

#include <support/graph_on_ranks.hpp>

namespace op2::test {
namespace {

OP_KERNEL(leave_number, (const int* edge, const double* weight, double* first, double* second), {
  *first = *edge + 0.25 * *weight;
  *second = *edge + 0.5 * *weight;
});
/// Some components of some rows only.
OP_KERNEL(leave_some, (const int* edge, const double* weight, double* pair), {
  if (*edge % 3 != 0) pair[0] = *weight;
  if (*edge % 4 != 0) pair[1] = *edge;
});
OP_KERNEL(add_pair, (const double* pair, double* state, double* sum), {
  *state += 0.1 * pair[0] + 0.3 * pair[1];
  *sum += pair[0];
});

/// Edges between random cells: about four in each cell, at either end.
Graph random_graph(int cells, int edges) {
  std::mt19937 random(11);
  std::uniform_int_distribution<int> any(0, cells - 1);
  Graph graph{cells, {}};
  for (int k = 0; k < 2 * edges; ++k) graph.ends.push_back(any(random));
  return graph;
}

struct Result {
  std::vector<double> state, pair, sums;  ///< of this rank's block
  bool operator==(const Result&) const = default;
};

template <class T>
std::vector<T> block_of(op_dat dat, int size) {
  std::vector<T> values(static_cast<std::size_t>(size * dat->dim));
  op_fetch_data(dat, values.data());
  return values;
}

/// In the session that is running.
Result run_session(const Graph& graph) {
  const DeclaredGraph d = declare(graph);
  std::vector<double> weights;
  for (int edge = d.my_edges.begin; edge < d.my_edges.end; ++edge)
    weights.push_back(edge * 37 % 101);
  const op_dat weight = op_decl_dat(d.edges, 1, "double", weights.data(), "weight");
  const op_dat pair = op_decl_dat<double>(d.cells, 2, "double", nullptr, "pair");
  op_partition("RANDOM", "", d.cells, nullptr, nullptr);
  Result result;
  for (int step = 0; step < 2; ++step) {
    double sum = 0;
    op_par_loop(leave_number, "leave_number", d.edges, op_arg_idx(-1, OP_ID),
                op_arg_dat(weight, OP_READ), op_arg_dat(d.state, 0, d.ends, OP_WRITE),
                op_arg_dat(d.state, 1, d.ends, OP_WRITE));
    op_par_loop(leave_some, "leave_some", d.edges, op_arg_idx(-1, OP_ID),
                op_arg_dat(weight, OP_READ), op_arg_dat(pair, step, d.ends, OP_WRITE));
    op_par_loop(add_pair, "add_pair", d.cells, op_arg_dat(pair, OP_READ),
                op_arg_dat(d.state, OP_RW), op_arg_gbl(&sum, 1, "double", OP_INC));
    result.sums.push_back(sum);
  }
  result.state = block_of<double>(d.state, d.my_cells.size());
  result.pair = block_of<double>(pair, d.my_cells.size());
  op_exit();
  return result;
}

/// The part of what one rank has that this rank has of the job.
Result part_of(const Result& whole, Block cells) {
  const auto part = [&](const std::vector<double>& all, int dim) {
    return std::vector<double>(all.begin() + dim * cells.begin, all.begin() + dim * cells.end);
  };
  return {part(whole.state, 1), part(whole.pair, 2), whole.sums};
}

TEST(WrittenRows, HaveTheSameBitsOnAnyRanksAndThreads) {
  setenv("OP2_REPRODUCIBLE", "on", 1);
  setenv("OP2_LOG", "error", 1);
  const Graph graph = random_graph(3000, 6000);
  setenv("OP2_THREADS", "1", 1);
  op_mpi_init(0, nullptr, 0, MPI_Comm_c2f(MPI_COMM_SELF));
  const Result alone = run_session(graph);
  for (const char* threads : {"1", "2", "3"})
    for (const char* chain : {"off", "on"}) {
      setenv("OP2_THREADS", threads, 1);
      setenv("OP2_CHAIN", chain, 1);
      op_init(0, nullptr, 0);
      const Block cells = equal_block(graph.cells);
      EXPECT_EQ(run_session(graph), part_of(alone, cells)) << threads << " threads, " << chain;
    }
}

}  // namespace
}  // namespace op2::test
