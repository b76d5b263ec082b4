// SPDX-License-Identifier: BSD-3-Clause
// Who owns what by PT-Scotch. Every test runs on however many ranks there are.
#include <comm/partition/partition.hpp>

#include <gmock/gmock.h>

#include <comm/messages/mpi_communicator.hpp>
#include <comm/messages/records.hpp>
#include <support/block_meshes.hpp>

namespace op2::test {
namespace {

using comm::BlockMesh;
using comm::GlobalId;
using comm::Owners;
using testing::HasSubstr;

constexpr int nodes = 0, edges = 1, cells = 3;
constexpr int edge_cells = 1, cell_nodes = 4;

class KwayOwners : public testing::Test {
 protected:
  comm::Communicator& ranks() { return *session_->communicator; }

  BlockMesh share(const BlockMesh& whole) {
    return share_of(whole, ranks().size(), ranks().rank());
  }

  std::optional<Owners> try_kway(const BlockMesh& mesh, int map, bool threads_allowed = true) {
    return kway_owners(ranks(), mesh, map, threads_allowed, reason_);
  }

  /// Owners of all sets of a mesh from a k-way partition of its cells.
  std::vector<Owners> owners_of(const BlockMesh& mesh) {
    return inherit_owners(ranks(), mesh, cells, try_kway(mesh, edge_cells).value());
  }

  /// Whether all ranks say so.
  bool everywhere(bool here) {
    for (const char yes : comm::gather_records(ranks(), static_cast<char>(here)))
      if (yes == 0) return false;
    return true;
  }

  const std::unique_ptr<comm::MpiSession> session_ = comm::start_mpi({});
  std::string reason_;
};

TEST_F(KwayOwners, AreBalancedToTenPercent) {
  const BlockMesh mesh = share(grid_mesh(80, 60));
  const auto quality = quality_of(ranks(), mesh, owners_of(mesh));
  const double fair = 80.0 * 60.0 / ranks().size();
  EXPECT_LE(static_cast<double>(quality.sets[cells].largest), 1.1 * fair);
  EXPECT_GE(static_cast<double>(quality.sets[cells].smallest), 0.9 * fair);
  const auto fair_edges = static_cast<double>(quality.sets[edges].elements) / ranks().size();
  EXPECT_LE(static_cast<double>(quality.sets[edges].largest), 1.15 * fair_edges);
}

TEST_F(KwayOwners, CutFewEdgesOfAGrid) {
  const BlockMesh mesh = share(grid_mesh(80, 60));
  const auto quality = quality_of(ranks(), mesh, owners_of(mesh));
  // A straight cut through the shorter side costs 60 edges; k parts need at most k - 1 of these.
  EXPECT_LE(quality.cut[edge_cells], 75 * (ranks().size() - 1));
}

TEST_F(KwayOwners, AreTheSameInEveryCall) {
  const BlockMesh mesh = share(grid_mesh(70, 50));
  const Owners first = try_kway(mesh, edge_cells).value();
  for (int call = 0; call < 5; ++call)
    EXPECT_TRUE(everywhere(try_kway(mesh, edge_cells).value() == first)) << "call " << call;
}

TEST_F(KwayOwners, MayBeOfTheNodesOfQuadrilaterals) {
  const BlockMesh mesh = share(grid_mesh(40, 40));
  const Owners owners = try_kway(mesh, cell_nodes).value();
  const auto quality = quality_of(ranks(), mesh, inherit_owners(ranks(), mesh, nodes, owners));
  EXPECT_LE(static_cast<double>(quality.sets[nodes].largest), 1.1 * 41 * 41 / ranks().size());
}

TEST_F(KwayOwners, AreRanksEvenIfTheseAreMoreThanTheCells) {
  for (const GlobalId columns : {1, 2, 5}) {
    const BlockMesh mesh = share(grid_mesh(columns, 1));
    const Owners owners = try_kway(mesh, edge_cells).value();
    EXPECT_EQ(owners.size(), mesh.sets[cells].count(ranks().rank()));
    EXPECT_THAT(owners, testing::Each(testing::AllOf(testing::Ge(0), testing::Lt(ranks().size()))));
  }
}

TEST_F(KwayOwners, OfNoCellsAreNone) {
  EXPECT_THAT(try_kway(share(grid_mesh(0, 0)), edge_cells).value(), testing::IsEmpty());
}

TEST_F(KwayOwners, AreBalancedForCellsWithoutNeighbours) {
  const BlockMesh mesh = share({{{{0, 0}}, {{0, 700}}}, {{0, 1, 2, {}}}});
  const Owners owners = try_kway(mesh, 0).value();
  const auto quality = quality_of(ranks(), mesh, inherit_owners(ranks(), mesh, 1, owners));
  EXPECT_LE(static_cast<double>(quality.sets[1].largest), 1.1 * 700 / ranks().size());
}

TEST_F(KwayOwners, MayBeOfCellsThatOneRankHolds) {
  const int size = ranks().size();
  BlockMesh mesh = grid_mesh(50, 20);
  for (comm::Blocks& set : mesh.sets) set = all_on_the_last(set.size(), size);
  if (ranks().rank() != size - 1)
    for (comm::BlockMap& map : mesh.maps) map.targets.clear();
  const auto quality = quality_of(ranks(), mesh, owners_of(mesh));
  EXPECT_LE(static_cast<double>(quality.sets[cells].largest), 1.1 * 1000 / size);
}

TEST_F(KwayOwners, AreRefusedWithoutThreads) {
  EXPECT_FALSE(try_kway(share(grid_mesh(4, 4)), edge_cells, false));
  EXPECT_THAT(reason_, HasSubstr("MPI_THREAD_MULTIPLE"));
}

}  // namespace
}  // namespace op2::test
