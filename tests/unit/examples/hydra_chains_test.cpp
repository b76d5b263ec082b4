// SPDX-License-Identifier: BSD-3-Clause
// The mesh of the example, and what the published chains exchange by the rule of OP2: a dat that a
// loop reads through a map is exchanged before it if a loop has modified it since (a dirty bit).
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <hydra_chains/chains.hpp>

namespace {

using hydra_chains::Block;
using hydra_chains::boxes_for;
using hydra_chains::Chain;
using hydra_chains::Cube;
using hydra_chains::Loop;
using hydra_chains::make_block;
using hydra_chains::Numbering;
using hydra_chains::Solver;
using hydra_chains::Variant;
using testing::ElementsAre;
using testing::Pair;

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

TEST(HydraMesh, HasEdgesPairsWallsAndALine) {
  const Block block = make_block({3, Numbering::planes}, 0, 1);
  EXPECT_EQ(block.box.size(), 27u);
  EXPECT_EQ(block.edge_nodes.size(), 2u * 3 * 3 * 3 * 2);
  EXPECT_THAT(block.pair_nodes,
              ElementsAre(0, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 20, 21, 23, 24, 26));
  EXPECT_EQ(block.wall_node.size(), 24u);  // not the three in the middle
  EXPECT_THAT(block.axis_node, ElementsAre(0, 1, 2));
}

TEST(HydraMesh, BlocksOfManyRanksAreTheWholeInOrder) {
  for (const Numbering numbering : {Numbering::planes, Numbering::random}) {
    const Cube cube{4, numbering};
    const Block whole = make_block(cube, 0, 1);
    Block all;
    for (int rank = 0; rank < 7; ++rank) {
      const Block block = make_block(cube, rank, 7);
      append(all.x, block.x);
      append(all.edge_nodes, block.edge_nodes);
      append(all.area, block.area);
      append(all.pair_nodes, block.pair_nodes);
      append(all.wall_node, block.wall_node);
      append(all.axis_node, block.axis_node);
    }
    EXPECT_EQ(all.x, whole.x);
    EXPECT_EQ(all.edge_nodes, whole.edge_nodes);
    EXPECT_EQ(all.area, whole.area);
    EXPECT_EQ(all.pair_nodes, whole.pair_nodes);
    EXPECT_EQ(all.wall_node, whole.wall_node);
    EXPECT_EQ(all.axis_node, whole.axis_node);
  }
}

/// Where the nodes at both ends of each row of a map are, in ascending order.
std::multiset<std::vector<double>> places(const Block& block, const std::vector<int>& ends) {
  std::multiset<std::vector<double>> all;
  for (std::size_t k = 0; k < ends.size(); k += 2) {
    std::vector<double> row;
    for (std::size_t end = k; end < k + 2; ++end)
      for (std::size_t d = 0; d < 3; ++d)
        row.push_back(block.x[3 * static_cast<std::size_t>(ends[end]) + d]);
    all.insert(row);
  }
  return all;
}

TEST(HydraMesh, IsTheSameWithRandomNumbers) {
  const Block planes = make_block({5, Numbering::planes}, 0, 1);
  const Block random = make_block({5, Numbering::random}, 0, 1);
  EXPECT_NE(planes.x, random.x);
  EXPECT_EQ(places(planes, planes.edge_nodes), places(random, random.edge_nodes));
  EXPECT_EQ(places(planes, planes.pair_nodes), places(random, random.pair_nodes));
}

TEST(HydraMesh, BoxesAreAsEqualAsFactorsAllow) {
  EXPECT_THAT(boxes_for(1), ElementsAre(1, 1, 1));
  EXPECT_THAT(boxes_for(7), ElementsAre(7, 1, 1));
  EXPECT_THAT(boxes_for(12), ElementsAre(3, 2, 2));
  EXPECT_THAT(boxes_for(64), ElementsAre(4, 4, 4));
}

/// Which dats loops have modified since they were exchanged.
class DirtyBits {
 public:
  /// @return values of a halo row that are exchanged before these loops, one after the other
  int exchanged_by(const std::vector<Loop>& loops) {
    int values = 0;
    for (const Loop& loop : loops) {
      for (const op_arg& arg : loop.args) {
        const bool reads = arg.acc == OP_READ || arg.acc == OP_RW;
        if (arg.dat != nullptr && arg.map != nullptr && reads && dirty_.erase(arg.dat) > 0)
          values += arg.dat->dim;
      }
      for (const op_arg& arg : loop.args)
        if (arg.dat != nullptr && arg.acc != OP_READ) dirty_.insert(arg.dat);
    }
    return values;
  }

 private:
  std::set<op_dat> dirty_;
};

/// Of one execution of each chain, in the program's order.
std::map<std::string, int> values_by_dirty_bits(Variant variant) {
  op_init(0, nullptr, 0);
  const Solver solver = hydra_chains::declare_solver({3, Numbering::planes}, {"boxes", ""});
  const std::vector<Chain> chains = hydra_chains::chains_of(solver, variant);
  DirtyBits bits;
  std::map<std::string, int> values;
  for (int execution = 0; execution < 2; ++execution)  // the second is like all later ones
    for (const bool at_start : {true, false})
      for (const Chain& chain : chains) {
        if (chain.at_start != at_start) continue;
        bits.exchanged_by(chain.before);
        values[chain.name] = bits.exchanged_by(chain.loops);
      }
  op_exit();
  return values;
}

TEST(HydraChains, ExchangeWhatIsPublishedLoopByLoop) {
  EXPECT_THAT(values_by_dirty_bits(Variant::as_published),
              ElementsAre(Pair("gradl", 30), Pair("iflux", 6), Pair("jacob", 51),
                          Pair("period", 29), Pair("vflux", 34), Pair("weight", 18)));
}

TEST(HydraChains, ExchangeLessIfEdgesAdd) {
  EXPECT_THAT(values_by_dirty_bits(Variant::increments),
              ElementsAre(Pair("gradl", 30), Pair("iflux", 6), Pair("jacob", 51),
                          Pair("period", 20), Pair("vflux", 34), Pair("weight", 12)));
}

}  // namespace
