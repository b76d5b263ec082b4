// SPDX-License-Identifier: BSD-3-Clause
// Loops on three threads, for ThreadSanitizer: one after the other and tile by tile, in
// instrumented code. Results are not looked at: the mutants of race_mutants.cmake may give any.
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include <support/graph_on_ranks.hpp>

namespace op2::test {
namespace {

/// A ring, and edges between any two of a few cells: pairs of blocks share rows in every round.
Graph ring_with_hubs() {
  Graph graph = ring(3000);
  std::mt19937 random(1);
  for (int end = 0; end < 120; ++end) graph.ends.push_back(100 * static_cast<int>(random() % 30));
  return graph;
}

/// @param tiles  the value of OP2_TILE
void run_graph(const char* tiles) {
  setenv("OP2_TILE", tiles, 1);
  setenv("OP2_THREADS", "3", 1);
  setenv("OP2_JIT", "require", 1);
  op_init(0, nullptr);
  const DeclaredGraph d = declare(ring_with_hubs());
  for (int repeat = 0; repeat < 20; ++repeat) {
    run_steps(d, 2);
    op_flush();
  }
  op_exit();
}

TEST(Races, LoopsOnThreadsHaveNone) {
  run_graph("off");
}

TEST(Races, TilesOnThreadsHaveNone) {
  run_graph("100");
}

}  // namespace
}  // namespace op2::test
