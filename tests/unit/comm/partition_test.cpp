// SPDX-License-Identifier: BSD-3-Clause
// Who owns what, decided by 1, 2, 3 and 5 ranks that hold blocks of different sizes.
#include <comm/partition/partition.hpp>

#include <algorithm>
#include <mutex>
#include <numeric>

#include <gmock/gmock.h>

#include <support/block_meshes.hpp>
#include <support/expect_error.hpp>
#include <support/fake_communicator.hpp>

namespace op2::test {
namespace {

using comm::BlockMap;
using comm::BlockMesh;
using comm::Blocks;
using comm::Communicator;
using comm::GlobalId;
using comm::Owners;
using testing::AllOf;
using testing::AnyOf;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

/// What the ranks return for their blocks, in the order of the ranks.
template <class Part>
Owners of_all(int ranks, const Part& part) {
  std::vector<Owners> parts(static_cast<std::size_t>(ranks));
  comm::run_fake_ranks(ranks, [&](Communicator& communicator) {
    parts[static_cast<std::size_t>(communicator.rank())] = part(communicator);
  });
  Owners all;
  for (const Owners& owners : parts) all.insert(all.end(), owners.begin(), owners.end());
  return all;
}

/// The owners of all points. @param coordinates  shape [points x dim]
Owners rcb(int ranks, const std::vector<double>& coordinates, int dim = 1,
           Blocks (*blocks)(GlobalId, int) = even_blocks) {
  return of_all(ranks, [&](Communicator& communicator) {
    const auto d = static_cast<std::size_t>(dim);
    const Blocks set = blocks(static_cast<GlobalId>(coordinates.size() / d), ranks);
    const auto r = static_cast<std::size_t>(communicator.rank());
    return rcb_owners(communicator, set,
                      std::span(coordinates)
                          .subspan(static_cast<std::size_t>(set.begin[r]) * d,
                                   static_cast<std::size_t>(set.count(communicator.rank())) * d),
                      dim);
  });
}

std::vector<std::int64_t> sizes(const Owners& owners, int ranks) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(ranks));
  for (const std::int32_t owner : owners) ++result.at(static_cast<std::size_t>(owner));
  return result;
}

std::int64_t spread(const Owners& owners, int ranks) {
  const auto all = sizes(owners, ranks);
  return *std::max_element(all.begin(), all.end()) - *std::min_element(all.begin(), all.end());
}

/// Coordinates of n x n points on a square lattice, column by column.
std::vector<double> lattice(int n, double width, double height) {
  std::vector<double> result;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      result.push_back(width * i);
      result.push_back(height * j);
    }
  return result;
}

TEST(BlockOwners, AreTheDeclaringRanks) {
  const Blocks set{{0, 2, 2, 5}};
  EXPECT_THAT(block_owners(set, 0), ElementsAre(0, 0));
  EXPECT_THAT(block_owners(set, 1), IsEmpty());
  EXPECT_THAT(block_owners(set, 2), ElementsAre(2, 2, 2));
}

TEST(RandomOwners, DependOnTheGlobalNumberAlone) {
  const auto owners_in = [](Blocks (*blocks)(GlobalId, int)) {
    return of_all(5, [&](Communicator& ranks) {
      return random_owners(blocks(1000, 5), ranks.rank(), ranks.size());
    });
  };
  EXPECT_EQ(owners_in(even_blocks), owners_in(all_on_the_last));
}

TEST(RandomOwners, AreOfAllRanksAndInNoOrder) {
  const Owners owners = random_owners(even_blocks(3000, 1), 0, 3);
  EXPECT_THAT(sizes(owners, 3), Each(AllOf(testing::Ge(900), testing::Le(1100))));
  int changes = 0;
  for (std::size_t i = 1; i < owners.size(); ++i) changes += owners[i] != owners[i - 1];
  EXPECT_GT(changes, 1800);  // two of three neighbours differ
}

TEST(RcbOwners, CutALineIntoPieces) {
  EXPECT_THAT(rcb(2, {3, 0, 2, 1}), ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(rcb(3, {5, -1, 4, 0, -3, 1}), ElementsAre(2, 0, 2, 1, 0, 1));
}

TEST(RcbOwners, AreAllTheOneRankThereIs) {
  EXPECT_THAT(rcb(1, {3, 0, 2}), Each(0));
}

TEST(RcbOwners, CutAcrossTheLongestSide) {
  EXPECT_THAT(rcb(2, lattice(2, 1, 5), 2), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(rcb(2, lattice(2, 5, 1), 2), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(rcb(2, {0, 0, 9, /**/ 0, 0, 0, /**/ 1, 1, 1, /**/ 1, 1, 8}, 3),
              ElementsAre(1, 0, 0, 1));
}

TEST(RcbOwners, DifferByAtMostOneElement) {
  for (const int ranks : {2, 3, 5})
    for (const int side : {1, 2, 3, 10, 17}) {
      const Owners owners = rcb(ranks, lattice(side, 1, 1), 2);
      EXPECT_EQ(owners.size(), side * side);
      EXPECT_LE(spread(owners, ranks), 1) << ranks << " ranks, side " << side;
    }
}

TEST(RcbOwners, BreakTiesByTheGlobalNumber) {
  EXPECT_THAT(rcb(2, {7, 7, 7, 7}), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(rcb(2, {7, -0.0, 0.0, 7, 0, -0.0}), ElementsAre(1, 0, 0, 1, 0, 1));
  const Owners identical = rcb(5, std::vector<double>(2 * 1003, 0.25), 2);
  EXPECT_TRUE(std::is_sorted(identical.begin(), identical.end()));
  EXPECT_LE(spread(identical, 5), 1);
}

TEST(RcbOwners, AreBalancedForClusters) {
  std::vector<double> points(301);
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = i % 3 == 0 ? 1e300 * static_cast<double>(i) : 1e-300 * static_cast<double>(i);
  EXPECT_LE(spread(rcb(3, points), 3), 1);
}

TEST(RcbOwners, DoNotDependOnWhoHoldsWhat) {
  std::vector<double> points(2 * 500);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = static_cast<double>(i * i % 97);
  for (const int ranks : {2, 3, 5}) {
    const Owners owners = rcb(ranks, points, 2);
    EXPECT_EQ(rcb(ranks, points, 2, all_on_the_last), owners);
    EXPECT_EQ(rcb(ranks, points, 2), owners);
  }
}

TEST(RcbOwners, AreEachOfAnotherRankIfThereAreFewElements) {
  EXPECT_THAT(rcb(5, {}), IsEmpty());
  EXPECT_LE(spread(rcb(5, {1, 0}), 5), 1);
  EXPECT_LE(spread(rcb(5, {4, 3, 3, 1}), 5), 1);
}

TEST(RcbOwners, AreBalancedEvenIfCoordinatesAreNoNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_LE(spread(rcb(3, {nan, 1, infinity, -infinity, nan, 0, -nan, 2}, 1), 3), 1);
}

TEST(KwayOwners, AreRefusedWithAReasonWithoutMpi) {
  const BlockMesh mesh = grid_mesh(3, 3);
  comm::run_fake_ranks(2, [&](Communicator& communicator) {
    std::string reason;
    const BlockMesh share = share_of(mesh, 2, communicator.rank());
    EXPECT_FALSE(kway_owners(communicator, share, 1, true, reason));
    EXPECT_THAT(reason, testing::HasSubstr("PT-Scotch"));
  });
}

// --- sets that inherit ---

/// The owners of all elements of all sets, when set `primary` has those given.
std::vector<Owners> inherited(const BlockMesh& whole, int ranks, int primary,
                              const Owners& owners) {
  std::vector<Owners> all(whole.sets.size());
  for (std::size_t set = 0; set < all.size(); ++set)
    all[set] = of_all(ranks, [&](Communicator& communicator) {
      const BlockMesh mesh = share_of(whole, ranks, communicator.rank());
      const auto p = static_cast<std::size_t>(primary);
      const auto r = static_cast<std::size_t>(communicator.rank());
      const Owners own(owners.begin() + mesh.sets[p].begin[r],
                       owners.begin() + mesh.sets[p].begin[r + 1]);
      return inherit_owners(communicator, mesh, primary, own)[set];
    });
  return all;
}

constexpr int nodes = 0, edges = 1, bedges = 2, cells = 3;

TEST(InheritedOwners, AreThoseOfTheTargetsAndOfTheSources) {
  // Cells 0 1 2 in a row; edge i between cells i and i + 1; set 2 is led to by the cells.
  const BlockMesh mesh{{{{0, 3}}, {{0, 2}}, {{0, 3}}},
                       {{1, 0, 2, {0, 1, 1, 2}}, {0, 2, 1, {2, 0, 0}}}};
  for (const int ranks : {2, 3, 5}) {
    const auto all = inherited(mesh, ranks, 0, {1, 1, 0});
    EXPECT_THAT(all[0], ElementsAre(1, 1, 0));
    EXPECT_THAT(all[1], ElementsAre(1, AnyOf(0, 1)));
    EXPECT_THAT(all[2], ElementsAre(AnyOf(0, 1), testing::_, 1));
  }
}

TEST(InheritedOwners, FollowTheMajority) {
  const BlockMesh mesh{{{{0, 5}}, {{0, 1}}, {{0, 1}}},
                       {{1, 0, 5, {0, 1, 2, 3, 4}}, {0, 2, 1, {0, 0, 0, 0, 0}}}};
  for (const int ranks : {3, 5}) {
    const auto all = inherited(mesh, ranks, 0, {2, 0, 1, 0, 2});
    EXPECT_THAT(all[1], ElementsAre(AnyOf(0, 2)));
    EXPECT_THAT(all[2], ElementsAre(AnyOf(0, 2)));
    EXPECT_THAT(inherited(mesh, ranks, 0, {2, 1, 1, 0, 1})[1], ElementsAre(1));
  }
}

TEST(InheritedOwners, AreTheSameWhoeverHoldsTheMesh) {
  const BlockMesh mesh = grid_mesh(9, 7);
  Owners owners(63);
  for (std::size_t cell = 0; cell < 63; ++cell) owners[cell] = static_cast<int>(cell / 7 % 2);
  const auto by_two = inherited(mesh, 2, cells, owners);
  EXPECT_EQ(inherited(mesh, 3, cells, owners), by_two);
  EXPECT_EQ(inherited(mesh, 5, cells, owners), by_two);
}

TEST(InheritedOwners, SpreadTiesEvenly) {
  // 1000 edges, each between cell 0 of rank 0 and cell 1 of rank 1.
  BlockMesh mesh{{{{0, 2}}, {{0, 1000}}}, {{1, 0, 2, {}}}};
  for (int i = 0; i < 1000; ++i) mesh.maps[0].targets.insert(mesh.maps[0].targets.end(), {0, 1});
  EXPECT_THAT(sizes(inherited(mesh, 2, 0, {0, 1})[1], 2), Each(testing::Gt(450)));
}

TEST(InheritedOwners, KeepAGridBalanced) {
  const int n = 40;
  const BlockMesh mesh = grid_mesh(n, n);
  for (const int ranks : {2, 3, 5}) {
    const auto all = inherited(mesh, ranks, cells, rcb(ranks, lattice(n, 1, 1), 2));
    for (const int set : {nodes, edges}) {
      const auto owners = all[static_cast<std::size_t>(set)];
      EXPECT_LT(spread(owners, ranks), static_cast<std::int64_t>(owners.size()) / ranks / 5);
    }
  }
}

TEST(InheritedOwners, ReachACoarserMeshThroughTheMapBetweenTheCells) {
  // Fine cells 0..7, coarse cells 0..3, coarse edges 0..2; coarse cell of fine cell i is i / 2.
  const BlockMesh mesh{{{{0, 3}}, {{0, 4}}, {{0, 8}}},
                       {{0, 1, 2, {0, 1, 1, 2, 2, 3}}, {2, 1, 1, {0, 0, 1, 1, 2, 2, 3, 3}}}};
  const auto all = inherited(mesh, 2, 2, {0, 0, 0, 0, 1, 1, 1, 1});
  EXPECT_THAT(all[1], ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(all[0], ElementsAre(0, AnyOf(0, 1), 1));
}

TEST(InheritedOwners, ComeFromTheNearestSetAndTheFirstMap) {
  // Set 1 is one map away from the primary set 0; set 2 two maps. The map of 1 to 2 comes first.
  const BlockMesh mesh{{{{0, 2}}, {{0, 2}}, {{0, 2}}},
                       {{1, 2, 1, {0, 1}}, {1, 0, 1, {1, 0}}, {1, 0, 1, {0, 1}}}};
  const auto all = inherited(mesh, 2, 0, {0, 1});
  EXPECT_THAT(all[1], ElementsAre(1, 0));
  EXPECT_THAT(all[2], ElementsAre(1, 0));
}

TEST(InheritedOwners, AreTheDeclaringRanksWhereNoMapLeads) {
  // Set 1 is connected to nothing but itself; of set 2, only element 0 is led to.
  const BlockMesh mesh{{{{0, 2}}, {{0, 4}}, {{0, 4}}},
                       {{1, 1, 1, {3, 2, 1, 0}}, {0, 2, 1, {0, 0}}, {0, 0, 1, {0, 1}}}};
  const auto all = inherited(mesh, 2, 0, {1, 1});
  EXPECT_THAT(all[1], ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(all[2], ElementsAre(1, 0, 1, 1));
}

TEST(InheritedOwners, MayBeOfSetsWithoutElements) {
  const BlockMesh mesh{{{{0, 0}}, {{0, 0}}, {{0, 3}}}, {{1, 0, 2, {}}, {0, 2, 1, {}}}};
  const auto all = inherited(mesh, 3, 0, {});
  EXPECT_THAT(all[1], IsEmpty());
  EXPECT_THAT(all[2], ElementsAre(0, 1, 2));
}

// --- neighbours and quality ---

TEST(DualGraph, NamesEveryNeighbourOnce) {
  // Cells around a ring of four, the edge between 0 and 1 twice, one edge from 2 to itself.
  const BlockMesh mesh{{{{0, 4}}, {{0, 6}}}, {{1, 0, 2, {0, 1, 1, 2, 2, 3, 3, 0, 1, 0, 2, 2}}}};
  for (const int ranks : {1, 2, 3, 5}) {
    const Owners neighbours = of_all(ranks, [&](Communicator& communicator) {
      const BlockMesh share = share_of(mesh, ranks, communicator.rank());
      const auto graph = dual_graph(communicator, share, share.maps[0]);
      return Owners(graph.values.begin(), graph.values.end());
    });
    EXPECT_THAT(neighbours, ElementsAre(1, 3, 0, 2, 1, 3, 0, 2));
  }
}

TEST(DualGraph, JoinsElementsToTargetsInTheirOwnSet) {
  // Each of four cells leads to the next, the last to itself.
  const BlockMesh mesh{{{{0, 4}}}, {{0, 0, 1, {1, 2, 3, 3}}}};
  for (const int ranks : {1, 2, 3}) {
    const Owners neighbours = of_all(ranks, [&](Communicator& communicator) {
      const BlockMesh share = share_of(mesh, ranks, communicator.rank());
      const auto graph = dual_graph(communicator, share, share.maps[0]);
      return Owners(graph.values.begin(), graph.values.end());
    });
    EXPECT_THAT(neighbours, ElementsAre(1, 0, 2, 1, 3, 2));
  }
}

TEST(DualGraph, HasEmptyRowsForElementsAlone) {
  const BlockMesh mesh{{{{0, 3}}, {{0, 1}}}, {{1, 0, 3, {2, 0, 2}}}};
  comm::run_fake_ranks(1, [&](Communicator& communicator) {
    const auto graph = dual_graph(communicator, mesh, mesh.maps[0]);
    EXPECT_THAT(graph.first, ElementsAre(0, 1, 1, 2));
    EXPECT_THAT(graph.values, ElementsAre(2, 0));
  });
}

TEST(PartitionQuality, CountsElementsAndCutRowsOfAllRanks) {
  // A row of 6 cells and 5 edges; ranks own cells 001122, edge i is where cell i is.
  const BlockMesh mesh{{{{0, 6}}, {{0, 5}}}, {{1, 0, 2, {0, 1, 1, 2, 2, 3, 3, 4, 4, 5}}}};
  const std::vector<Owners> owners{{0, 0, 1, 1, 2, 2}, {0, 0, 1, 1, 2}};
  for (const int ranks : {3, 5})
    comm::run_fake_ranks(ranks, [&](Communicator& communicator) {
      const BlockMesh share = share_of(mesh, ranks, communicator.rank());
      const auto r = static_cast<std::size_t>(communicator.rank());
      std::vector<Owners> own;
      for (std::size_t set = 0; set < 2; ++set)
        own.emplace_back(owners[set].begin() + share.sets[set].begin[r],
                         owners[set].begin() + share.sets[set].begin[r + 1]);
      const auto quality = quality_of(communicator, share, own);
      EXPECT_EQ(quality.sets[0].elements, 6);
      EXPECT_EQ(quality.sets[0].largest, 2);
      EXPECT_EQ(quality.sets[0].smallest, ranks == 3 ? 2 : 0);
      EXPECT_EQ(quality.sets[1].smallest, ranks == 3 ? 1 : 0);
      EXPECT_THAT(quality.cut, ElementsAre(2));
    });
}

TEST(Partitioners, AreFoundByName) {
  const auto all = comm::library_partitioners();
  ASSERT_NE(comm::find_partitioner(all, "rcb"), nullptr);
  EXPECT_EQ(comm::find_partitioner(all, "rcb")->input, comm::PartitionInput::coordinates);
  EXPECT_EQ(comm::find_partitioner(all, "metis"), nullptr);
}

TEST(Partitioners, AreListedInTheirOrder) {
  EXPECT_EQ(comm::names_of(comm::library_partitioners()),
            "ptscotch, rcb, block, random or external");
}

TEST(GivenOwners, OutOfRangeNameTheDatTheElementAndTheRanks) {
  const auto text = error_text(ErrorCode::bad_range, [] {
    comm::run_fake_ranks(2, [](comm::Communicator& ranks) {
      const std::int32_t owners[] = {1, ranks.is_root() ? 0 : 2};
      comm::given_owners(ranks, comm::Blocks{{0, 2, 4}}, owners, "part");
    });
  });
  EXPECT_THAT(text, testing::HasSubstr("dat 'part'[3] = 2, not in [0, 2)"));
}

}  // namespace
}  // namespace op2::test
