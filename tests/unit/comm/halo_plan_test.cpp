// SPDX-License-Identifier: BSD-3-Clause
// The mesh of the only rank.
#include <algorithm>
#include <numeric>
#include <random>

#include <gmock/gmock.h>

#include <comm/halo/distributed_mesh.hpp>
#include <comm/halo/halo_plan.hpp>
#include <comm/messages/records.hpp>
#include <support/fake_communicator.hpp>

namespace op2::comm {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;

/// A ring of cells, numbered at random, and the edges between neighbours.
struct Ring {
  explicit Ring(core::RenumberMode mode) : rows(mesh, *ranks, {mode}) {
    std::vector<std::int32_t> number(size);
    std::iota(number.begin(), number.end(), 0);
    std::shuffle(number.begin(), number.end(), std::mt19937(7));
    for (std::size_t k = 0; k < size; ++k) {
      ends.push_back(number[k]);
      ends.push_back(number[(k + 1) % size]);
    }
    map = &mesh.add_map(&edges, &cells, 2, ends.data(), "ends");
    std::iota(values.begin(), values.end(), 0.5);
    q = &mesh.add_dat(&cells, 1, Type::f64, values.data(), "q", false);
  }

  std::vector<double> range(std::int64_t low, std::int64_t high) {
    std::vector<double> some(static_cast<std::size_t>(high - low + 1));
    rows.copy_declared_range(*q, low, high, std::as_writable_bytes(std::span(some)).data());
    return some;
  }

  static constexpr std::int32_t size = 2000;
  std::unique_ptr<Communicator> ranks = make_self_communicator();
  core::Mesh mesh;
  DistributedMesh rows;
  core::Set& cells = mesh.add_set(rows.block_of(size, "cells"), "cells");
  core::Set& edges = mesh.add_set(rows.block_of(size, "edges"), "edges");
  std::vector<std::int32_t> ends;
  std::vector<double> values = std::vector<double>(size);
  core::Map* map;
  core::Dat* q;
};

TEST(PlanWithoutNeighbours, LeavesRowsWhereTheyAreIfTheyNeedNoOtherOrder) {
  Ring ring(core::RenumberMode::off);
  const char* const data = ring.q->data;
  ring.rows.ensure_rows(8);
  EXPECT_TRUE(ring.rows.as_declared());
  EXPECT_EQ(ring.rows.epoch(), 0);
  EXPECT_EQ(ring.q->data, data);
  EXPECT_TRUE(ring.rows.halo_plan().maps[0].entries.empty());
}

TEST(PlanWithoutNeighbours, EveryLevelHasAllRows) {
  Ring ring(core::RenumberMode::on);
  ring.rows.ensure_rows(8);
  EXPECT_TRUE(ring.cells.is_single_rank);
  EXPECT_THAT(ring.cells.layout->prefix, Each(Ring::size));
  EXPECT_EQ(ring.cells.core_size, Ring::size);
  EXPECT_EQ(ring.cells.exec_size + ring.cells.nonexec_size, 0);
}

TEST(PlanWithoutNeighbours, EntriesLeadToTheSameElements) {
  Ring ring(core::RenumberMode::on);
  ring.rows.ensure_rows(0);
  if (ring.rows.as_declared()) GTEST_SKIP() << "built without Scotch";
  const HaloPlan& plan = ring.rows.halo_plan();
  for (std::int32_t row = 0; row < Ring::size; ++row)
    for (std::int32_t column = 0; column < 2; ++column)
      EXPECT_EQ(
          plan.index_map(ring.cells).id_at(ring.map->map[2 * row + column]),
          ring.ends[static_cast<std::size_t>(2 * plan.index_map(ring.edges).id_at(row) + column)]);
}

TEST(PlanWithoutNeighbours, RowsComeBackAsDeclared) {
  Ring ring(core::RenumberMode::on);
  const std::vector<double> few(ring.values.begin() + 3, ring.values.begin() + 9);
  EXPECT_EQ(ring.range(3, 8), few);
  ring.rows.ensure_rows(0);
  EXPECT_EQ(ring.range(3, 8), few);
  EXPECT_EQ(ring.range(0, Ring::size - 1), ring.values);
  Bytes storage;
  EXPECT_EQ(from_bytes<double>(ring.rows.declared_rows(*ring.q, storage)), ring.values);
  EXPECT_EQ(from_bytes<std::int32_t>(ring.rows.declared_entries(*ring.map)), ring.ends);
  ring.rows.return_to_declared();
  EXPECT_FALSE(ring.rows.has_halo_plan());
  EXPECT_TRUE(ring.cells.global_indices.empty());
  EXPECT_THAT(ring.map->values(), ElementsAreArray(ring.ends));
  EXPECT_EQ(ring.range(0, Ring::size - 1), ring.values);
}

TEST(PlanWithoutNeighbours, HasNoHalosInMemory) {
  for (const auto mode : {core::RenumberMode::off, core::RenumberMode::on}) {
    Ring ring(mode);
    ring.rows.ensure_rows(0);
    EXPECT_EQ(halo_memory(ring.rows.halo_plan(), ring.mesh).rows, 0);
  }
}

TEST(PlanWithoutNeighbours, SetsMayFollowIt) {
  Ring ring(core::RenumberMode::off);
  ring.rows.ensure_rows(0);
  ring.rows.return_to_declared();
  core::Set& marks = ring.mesh.add_set(ring.rows.block_of(3, "marks"), "marks");
  EXPECT_TRUE(ring.rows.as_declared());
  ring.rows.ensure_rows(0);
  EXPECT_EQ(ring.rows.halo_plan().index_map(marks).layout.rows(), 3);
}

TEST(PlanWithoutNeighbours, SetsThatStayAndSetsThatMoveAreConnected) {
  std::vector<std::int32_t> to_cells{5, 0, 9}, to_marks(Ring::size);
  for (std::int32_t k = 0; k < Ring::size; ++k) to_marks[static_cast<std::size_t>(k)] = k % 3;
  Ring ring(core::RenumberMode::on);
  core::Set& marks = ring.mesh.add_set(ring.rows.block_of(3, "marks"), "marks");
  core::Map& out = ring.mesh.add_map(&marks, &ring.cells, 1, to_cells.data(), "out");
  core::Map& in = ring.mesh.add_map(&ring.cells, &marks, 1, to_marks.data(), "in");
  ring.rows.ensure_rows(0);
  EXPECT_EQ(from_bytes<std::int32_t>(ring.rows.declared_entries(out)), to_cells);
  EXPECT_EQ(from_bytes<std::int32_t>(ring.rows.declared_entries(in)), to_marks);
}

TEST(PlanWithoutNeighbours, OrderIsLookedAtAgainWhenItMayChange) {
  Ring ring(core::RenumberMode::on);
  ring.rows.keep_order(true);
  ring.rows.ensure_rows(0);
  EXPECT_TRUE(ring.rows.as_declared());
  ring.rows.keep_order(false);
  ring.rows.ensure_rows(0);
  EXPECT_EQ(ring.rows.epoch(), ring.rows.as_declared() ? 0 : 1);
  EXPECT_EQ(ring.range(0, Ring::size - 1), ring.values);
}

enum { node, edge, bnd, sets };

/// Edges have two nodes and boundary edges one.
HaloPlan maps_of_a_mesh() {
  HaloPlan plan{0, 0, std::vector<IndexMap>(sets), {}};
  plan.maps = {{edge, node, 2, {}, {}, {}}, {bnd, node, 1, {}, {}, {}}};
  return plan;
}

/// Of each set: whether its map is local, as every rank finds.
std::vector<bool> local_maps(const HaloPlan& plan, int rank_with_remote_target = -1) {
  std::vector<std::vector<bool>> found(3);
  run_fake_ranks(3, [&](Communicator& communicator) {
    HaloPlan mine = plan;
    if (communicator.rank() == rank_with_remote_target) mine.maps.back().remote_targets = {{7, 0}};
    find_local_maps(communicator, mine);
    for (const IndexMap& set : mine.sets)
      found[static_cast<std::size_t>(communicator.rank())].push_back(set.layout.local_map);
  });
  EXPECT_EQ(found[1], found[0]);
  EXPECT_EQ(found[2], found[0]);
  return found[0];
}

TEST(LocalMaps, AreThoseOfASetWhoseElementsHaveTheRankOfTheirOnlyTarget) {
  EXPECT_THAT(local_maps(maps_of_a_mesh()), ElementsAre(false, false, true));
}

TEST(LocalMaps, ARemoteTargetOnOneRankCountsOnAll) {
  EXPECT_THAT(local_maps(maps_of_a_mesh(), 1), ElementsAre(false, false, false));
}

TEST(LocalMaps, ASecondMapOfTheSetOrOneToItForbidsThem) {
  HaloPlan two = maps_of_a_mesh(), target = maps_of_a_mesh();
  two.maps.push_back({bnd, node, 1, {}, {}, {}});
  EXPECT_THAT(local_maps(two), ElementsAre(false, false, false));
  target.maps.push_back({node, bnd, 1, {}, {}, {}});  // itself from a set that is a target
  EXPECT_THAT(local_maps(target), ElementsAre(false, false, false));
}

}  // namespace
}  // namespace op2::comm
