// SPDX-License-Identifier: BSD-3-Clause
// The sizes that op2-model finds for the mesh as a whole are those of the halo plans that ranks
// make.
#include <gmock/gmock.h>

#include <comm/halo/halo_plan.hpp>
#include <comm/partition/partition.hpp>
#include <support/block_meshes.hpp>
#include <support/fake_communicator.hpp>
#include <support/random_chains.hpp>
#include <unit/model/block_mesh_of.hpp>

#include "cut.hpp"

namespace op2::model {
namespace {

using comm::BlockMesh;
using comm::HaloPlan;
using comm::Owners;

/// A halo plan in numbers.
RankHalo numbers_of(const HaloPlan& plan, core::Level level) {
  RankHalo halo;
  std::map<int, std::vector<std::vector<std::int32_t>>> imports;
  for (std::size_t set = 0; set < plan.sets.size(); ++set) {
    halo.within.push_back(plan.sets[set].layout.prefix);
    for (std::size_t h = 0; h < plan.sets[set].levels.size(); ++h)
      for (const comm::ImportRange& range : plan.sets[set].levels[h].imports) {
        auto& rows = imports[range.rank];
        rows.resize(plan.sets.size(), std::vector<std::int32_t>(static_cast<std::size_t>(level)));
        rows[set][h] += range.count;
      }
  }
  for (auto& [rank, rows] : imports) halo.imports.push_back({rank, rows});
  return halo;
}

/// What the library makes on ranks that declare the mesh in even blocks.
std::vector<RankHalo> on_ranks(const BlockMesh& whole, const std::vector<Owners>& owners, int ranks,
                               core::Level level) {
  std::vector<RankHalo> all(static_cast<std::size_t>(ranks));
  comm::run_fake_ranks(ranks, [&](comm::Communicator& communicator) {
    const int rank = communicator.rank();
    const BlockMesh share = test::share_of(whole, ranks, rank);
    std::vector<Owners> mine;
    for (std::size_t set = 0; set < owners.size(); ++set) {
      const auto& begin = share.sets[set].begin;
      mine.emplace_back(owners[set].begin() + begin[static_cast<std::size_t>(rank)],
                        owners[set].begin() + begin[static_cast<std::size_t>(rank) + 1]);
    }
    HaloPlan plan = build_halo_plan(communicator, share, mine);
    grow_halo_plan(communicator, plan, level);
    all[static_cast<std::size_t>(rank)] = numbers_of(plan, level);
  });
  return all;
}

TEST(HaloSizes, AreThoseOfTheLibraryOnRandomMeshes) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const test::ModelMesh model = test::random_mesh(random);
    const BlockMesh mesh = test::block_mesh_of(model);
    const std::vector<Owners> owners(model.owner.begin(), model.owner.end());
    const core::Level level = 2 * test::pick(random, 1, 5);
    ASSERT_EQ(halo_sizes(mesh, owners, model.ranks, level),
              on_ranks(mesh, owners, model.ranks, level));
  }
}

TEST(HaloSizes, AreThoseOfTheLibraryOnAirfoil) {
  const BlockMesh mesh = test::grid_mesh(24, 18);
  constexpr int cells = 3, edge_to_cells = 1;
  for (const int ranks : {2, 3, 8}) {
    SCOPED_TRACE(ranks);
    const auto alone = comm::make_self_communicator();
    const std::optional<Owners> parts = comm::serial_kway_owners(mesh, edge_to_cells, ranks);
    ASSERT_TRUE(parts);
    const auto owners = comm::inherit_owners(*alone, mesh, cells, *parts);
    const std::vector<RankHalo> sizes = halo_sizes(mesh, owners, ranks, 12);
    EXPECT_EQ(sizes, on_ranks(mesh, owners, ranks, 12));
    EXPECT_GT(sizes.front().rows(cells, 2), sizes.front().rows(cells, 0));
  }
}

/// Levels end earlier in parts that are not much larger than their boundaries.
TEST(HaloSizes, GoDeeperIntoLargeParts) {
  constexpr int cells = 3;
  const auto deep_cells = [](int width, int ranks) {
    const BlockMesh mesh = test::grid_mesh(width, 40);
    std::vector<Owners> owners;
    for (const comm::Blocks& set : mesh.sets) {
      Owners& in_strips = owners.emplace_back();
      for (comm::GlobalId k = 0; k < set.size(); ++k)
        in_strips.push_back(static_cast<std::int32_t>(k * ranks / set.size()));
    }
    const std::vector<RankHalo> sizes = halo_sizes(mesh, owners, ranks, 4);
    EXPECT_EQ(sizes, on_ranks(mesh, owners, ranks, 4));
    EXPECT_EQ(level_limit(mesh, owners, ranks) == core::deepest_tracked,
              sizes.front().rows(cells, core::deepest_of_small_parts - 1) > 0);
    return sizes.front().rows(cells, core::deepest_tracked);
  };
  EXPECT_GT(deep_cells(400, 2), 4000);
  EXPECT_EQ(deep_cells(400, 8), 0);
}

/// Owners of all sets by the votes of ranks that have the mesh in blocks.
std::vector<Owners> inherited_on_ranks(const BlockMesh& whole, int primary, const Owners& parts,
                                       int ranks) {
  std::vector<std::vector<Owners>> of_rank(static_cast<std::size_t>(ranks));
  comm::run_fake_ranks(ranks, [&](comm::Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    const BlockMesh share = test::share_of(whole, ranks, communicator.rank());
    const auto& begin = share.sets[static_cast<std::size_t>(primary)].begin;
    of_rank[rank] =
        comm::inherit_owners(communicator, share, primary,
                             Owners(parts.begin() + begin[rank], parts.begin() + begin[rank + 1]));
  });
  std::vector<Owners> all(whole.sets.size());
  for (const auto& mine : of_rank)
    for (std::size_t set = 0; set < all.size(); ++set)
      all[set].insert(all[set].end(), mine[set].begin(), mine[set].end());
  return all;
}

TEST(Parts, OfOtherSetsAreThoseThatRanksVoteFor) {
  const BlockMesh mesh = test::grid_mesh(15, 11);
  constexpr int cells = 3;
  const auto alone = comm::make_self_communicator();
  for (const int ranks : {2, 5}) {
    SCOPED_TRACE(ranks);
    const Owners parts = comm::random_owners(mesh.sets[cells], 0, ranks);
    EXPECT_EQ(comm::inherit_owners(*alone, mesh, cells, parts),
              inherited_on_ranks(mesh, cells, parts, ranks));
  }
}

TEST(Parts, AreDeterministicAndBalanced) {
  const BlockMesh mesh = test::grid_mesh(60, 50);
  const Owners parts = comm::serial_kway_owners(mesh, 1, 12).value();
  EXPECT_EQ(comm::serial_kway_owners(mesh, 1, 12), parts);
  std::vector<int> sizes(12);
  for (const std::int32_t part : parts) ++sizes.at(static_cast<std::size_t>(part));
  EXPECT_LT(*std::ranges::max_element(sizes), 1.1 * 3000 / 12);
}

}  // namespace
}  // namespace op2::model
