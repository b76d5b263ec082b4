// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/locality.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace op2::comm {
namespace {

/// Cells of a square grid and the edges between neighbours, numbered row by row or at random.
struct Grid {
  Grid(int width, bool shuffled) {
    std::vector<std::int32_t> number(static_cast<std::size_t>(width * width));
    std::iota(number.begin(), number.end(), 0);
    std::mt19937 random(7);
    if (shuffled) std::shuffle(number.begin(), number.end(), random);
    std::vector<std::array<std::int32_t, 2>> edges;
    const auto cell = [&](int i, int j) { return number[static_cast<std::size_t>(j * width + i)]; };
    for (int j = 0; j < width; ++j)
      for (int i = 0; i < width; ++i) {
        if (i + 1 < width) edges.push_back({cell(i, j), cell(i + 1, j)});
        if (j + 1 < width) edges.push_back({cell(i, j), cell(i, j + 1)});
      }
    if (shuffled) std::shuffle(edges.begin(), edges.end(), random);
    for (const auto& edge : edges) edge_cells.insert(edge_cells.end(), edge.begin(), edge.end());
    mesh = {{width * width, static_cast<std::int32_t>(edges.size())},
            {1000, 0},
            {{1, 0, 2, edge_cells}}};
  }
  std::vector<std::int32_t> edge_cells;
  LocalMesh mesh;  ///< cells, edges
};

bool is_permutation(const Order& order, std::int32_t size) {
  Order sorted = order;
  std::sort(sorted.begin(), sorted.end());
  Order all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  return sorted == all;
}

/// Mean distance in memory between the two cells of an edge.
double band_of(const Grid& grid, const Order& cells) {
  const auto positions = positions_in(cells);
  double sum = 0;
  for (std::size_t k = 0; k < grid.edge_cells.size(); k += 2)
    sum += std::abs(positions[static_cast<std::size_t>(grid.edge_cells[k])] -
                    positions[static_cast<std::size_t>(grid.edge_cells[k + 1])]);
  return sum / (static_cast<double>(grid.edge_cells.size()) / 2);
}

using core::RenumberMode;

TEST(Locality, ARandomNumberingBecomesNarrow) {
  const Grid grid(100, true);
  const auto orders = locality_orders(grid.mesh, RenumberMode::automatic);
  if (orders[0].empty()) GTEST_SKIP() << "built without Scotch";
  ASSERT_TRUE(is_permutation(orders[0], grid.mesh.sizes[0]));
  ASSERT_TRUE(is_permutation(orders[1], grid.mesh.sizes[1]));
  EXPECT_LT(band_of(grid, orders[0]), 100);
}

TEST(Locality, EdgesComeWhenTheirLastCellHasCome) {
  const Grid grid(100, true);
  const auto orders = locality_orders(grid.mesh, RenumberMode::automatic);
  const auto positions = orders[0].empty() ? std::vector<std::int32_t>() : positions_in(orders[0]);
  std::int32_t before = 0;
  for (const std::int32_t edge : orders[1]) {
    std::int32_t last = 0;
    for (const std::size_t k : {0U, 1U}) {
      const std::int32_t cell = grid.edge_cells[2 * static_cast<std::size_t>(edge) + k];
      last = std::max(last, positions.empty() ? cell : positions[static_cast<std::size_t>(cell)]);
    }
    EXPECT_LE(before, last);
    before = last;
  }
}

TEST(Locality, AGoodOrderIsKeptAndItsEdgesAreSorted) {
  const Grid grid(100, false);
  const auto orders = locality_orders(grid.mesh, RenumberMode::automatic);
  EXPECT_TRUE(orders[0].empty());
  EXPECT_TRUE(is_permutation(orders[1], grid.mesh.sizes[1]));
}

TEST(Locality, FewElementsAreLeftAloneUnlessAskedFor) {
  const Grid grid(20, true);
  for (const Order& order : locality_orders(grid.mesh, RenumberMode::automatic))
    EXPECT_TRUE(order.empty());
  const auto orders = locality_orders(grid.mesh, RenumberMode::on);
  EXPECT_TRUE(is_permutation(orders[1], grid.mesh.sizes[1]));
}

TEST(Locality, OffChangesNothing) {
  const Grid grid(100, true);
  for (const Order& order : locality_orders(grid.mesh, RenumberMode::off))
    EXPECT_TRUE(order.empty());
}

TEST(Locality, SetsThatNoMapConnectsAreOrderedEachForItself) {
  Grid one(80, true), two(80, true);
  LocalMesh both{one.mesh.sizes, {1000, 0, 10, 0}, one.mesh.maps};
  both.sizes.insert(both.sizes.end(), two.mesh.sizes.begin(), two.mesh.sizes.end());
  both.maps.push_back({3, 2, 2, two.edge_cells});
  const auto orders = locality_orders(both, RenumberMode::on);
  EXPECT_EQ(orders[0], orders[2]);
  EXPECT_EQ(orders[1], orders[3]);
  EXPECT_FALSE(orders[3].empty());
}

TEST(Locality, TargetsElsewhereAndEmptySetsAreAllowed) {
  const std::vector<std::int32_t> some{0, MapView::remote, MapView::remote, MapView::remote, 1, 1};
  const LocalMesh mesh{{3, 2, 0}, {1, 5, 9}, {{0, 1, 2, some}, {2, 1, 3, {}}}};
  const auto orders = locality_orders(mesh, RenumberMode::on);
  EXPECT_EQ(orders[0], (Order{0, 2, 1}));  // what leads nowhere comes last
}

/// A line of elements numbered at random, each of which leads to its two ends.
struct Line {
  static constexpr std::int32_t size = 5000;
  Line() : number(size) {
    std::iota(number.begin(), number.end(), 0);
    std::shuffle(number.begin(), number.end(), std::mt19937(3));
    for (const std::int32_t k : number) ends.insert(ends.end(), {k, k + 1});
  }
  /// How far the order jumps along the line, on average.
  double jump(const Order& order) const {
    std::int64_t sum = 0;
    for (std::size_t k = 1; k < order.size(); ++k)
      sum += std::abs(number[static_cast<std::size_t>(order[k])] -
                      number[static_cast<std::size_t>(order[k - 1])]);
    return static_cast<double>(sum) / size;
  }
  std::vector<std::int32_t> number, ends;
};

/// Elements that share a target are neighbours where no map leads to them.
TEST(Locality, ASetThatOnlyLeadsElsewhereIsOrderedByItsTargets) {
  const Line line;
  const LocalMesh mesh{{Line::size, Line::size + 1}, {1000, 1}, {{0, 1, 2, line.ends}}};
  const auto orders = locality_orders(mesh, RenumberMode::automatic);
  if (orders[0].empty()) GTEST_SKIP() << "built without Scotch";
  EXPECT_LT(line.jump(orders[0]), 3);
}

TEST(Locality, AFewPairsDoNotHideWhatElementsShare) {
  const Line line;
  std::vector<std::int32_t> pair;
  for (const std::int32_t where : {7, 8})
    pair.push_back(static_cast<std::int32_t>(
        std::find(line.number.begin(), line.number.end(), where) - line.number.begin()));
  const LocalMesh mesh{
      {Line::size, Line::size + 1, 1}, {1000, 1, 0}, {{2, 0, 2, pair}, {0, 1, 2, line.ends}}};
  const auto orders = locality_orders(mesh, RenumberMode::automatic);
  if (orders[0].empty()) GTEST_SKIP() << "built without Scotch";
  EXPECT_LT(line.jump(orders[0]), 3);
}

TEST(Locality, SetsFollowTheFirstOneRatherThanOneThatFollowsIt) {
  const Grid grid(100, false);
  const std::int32_t cells = grid.mesh.sizes[0], edges = grid.mesh.sizes[1];
  std::mt19937 random(2);
  std::uniform_int_distribution<std::int32_t> node(0, cells - 1);
  std::vector<std::int32_t> of_edges, of_cells;
  for (int k = 0; k < 2 * edges; ++k) of_edges.push_back(node(random));
  for (int k = 0; k < 5 * cells; ++k) of_cells.push_back(node(random));
  const LocalMesh mesh{{cells, edges, cells},
                       {1000, 0, 1},
                       {{1, 2, 2, of_edges}, {0, 2, 5, of_cells}, {1, 0, 2, grid.edge_cells}}};
  const auto orders = locality_orders(mesh, RenumberMode::automatic);
  ASSERT_TRUE(orders[0].empty());
  EXPECT_EQ(orders[1], locality_orders(grid.mesh, RenumberMode::automatic)[1]);
}

TEST(Locality, TheBoundaryDoesNotDecideHowTheInteriorIsSorted) {
  const Grid grid(100, true);
  const std::vector<std::int32_t> corner{5};
  // Cells, a boundary, edges, and nodes that the edges connect as they connect cells.
  const LocalMesh mesh{{grid.mesh.sizes[0], 1, grid.mesh.sizes[1], grid.mesh.sizes[0]},
                       {1000, 0, 0, 1},
                       {{1, 0, 1, corner},
                        {1, 3, 1, corner},
                        {2, 0, 2, grid.edge_cells},
                        {2, 3, 2, grid.edge_cells}}};
  const auto orders = locality_orders(mesh, RenumberMode::automatic);
  if (orders[0].empty()) GTEST_SKIP() << "built without Scotch";
  ASSERT_TRUE(is_permutation(orders[3], mesh.sizes[3]));
  EXPECT_LT(band_of(grid, orders[3]), 200);
}

}  // namespace
}  // namespace op2::comm
