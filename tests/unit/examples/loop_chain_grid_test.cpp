// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <gmock/gmock.h>

#include <loop_chain/grid.hpp>

namespace {

using loop_chain::Block;
using loop_chain::Grid;
using loop_chain::make_block;
using testing::ElementsAre;

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

TEST(LoopChainGrid, FourNodesHaveFourEdges) {
  const Block block = make_block({2, 1}, 0, 1);
  EXPECT_THAT(block.x, ElementsAre(0, 0, 1, 0, 0, 1, 1, 1));
  EXPECT_THAT(block.edge_nodes, ElementsAre(0, 1, 0, 2, 1, 3, 2, 3));
}

TEST(LoopChainGrid, CountsAreThoseOfTheBlock) {
  for (const Grid grid : {Grid{2, 5}, Grid{3, 4}}) {
    const Block block = make_block(grid, 0, 1);
    EXPECT_EQ(block.nodes(), grid.nodes());
    EXPECT_EQ(block.edges(), grid.edges());
  }
}

TEST(LoopChainGrid, BlocksOfManyRanksAreTheWholeInOrder) {
  const Grid grid{3, 3};
  const Block whole = make_block(grid, 0, 1);
  Block all;
  for (int rank = 0; rank < 7; ++rank) {
    const Block block = make_block(grid, rank, 7);
    append(all.x, block.x);
    append(all.mode, block.mode);
    append(all.edge_nodes, block.edge_nodes);
    append(all.weight, block.weight);
  }
  EXPECT_EQ(all.x, whole.x);
  EXPECT_EQ(all.mode, whole.mode);
  EXPECT_EQ(all.edge_nodes, whole.edge_nodes);
  EXPECT_EQ(all.weight, whole.weight);
}

TEST(LoopChainGrid, MoreRanksThanNodesLeaveSomeWithout) {
  const Block block = make_block({2, 1}, 0, 9);
  EXPECT_EQ(block.nodes(), 0);
  EXPECT_EQ(block.edges(), 0);
}

/// Largest difference between L mode and eigenvalue * mode.
double largest_deviation(const Grid& grid, int kind) {
  const Block block = make_block(grid, 0, 1);
  const loop_chain::State factor = loop_chain::eigenvalues(grid, kind);
  std::vector<double> applied(block.mode.size());
  for (int edge = 0; edge < block.edges(); ++edge) {
    const std::size_t a = 4 * block.edge_nodes[2 * edge], b = 4 * block.edge_nodes[2 * edge + 1];
    for (std::size_t c = 0; c < 4; ++c) {
      const double flow = block.weight[2 * edge + kind] * (block.mode[a + c] - block.mode[b + c]);
      applied[a + c] += flow;
      applied[b + c] -= flow;
    }
  }
  double largest = 0;
  for (std::size_t i = 0; i < applied.size(); ++i)
    largest = std::max(largest, std::abs(applied[i] - factor[i % 4] * block.mode[i]));
  return largest;
}

TEST(LoopChainGrid, DifferencesAlongEdgesMultiplyTheModes) {
  for (const int kind : {0, 1}) {
    EXPECT_LT(largest_deviation({2, 11}, kind), 1e-14);
    EXPECT_LT(largest_deviation({3, 6}, kind), 1e-14);
  }
}

TEST(LoopChainGrid, ModesAreNotConstant) {
  for (const double factor : loop_chain::eigenvalues({2, 11}, 0)) EXPECT_GT(factor, 0.1);
}

}  // namespace
