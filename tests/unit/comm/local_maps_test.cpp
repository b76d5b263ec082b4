// SPDX-License-Identifier: BSD-3-Clause
// Which maps lead to elements of the same rank, by the maps of all ranks.
#include <comm/halo/local_maps.hpp>

#include <gmock/gmock.h>

#include <support/fake_communicator.hpp>

namespace op2::test {
namespace {

using testing::ElementsAre;

enum { node, edge, bnd, sets };

/// Edges have two nodes and boundary edges one.
comm::HaloPlan maps_of_a_mesh() {
  comm::HaloPlan plan{0, 0, std::vector<comm::IndexMap>(sets), {}};
  plan.maps = {{edge, node, 2, {}, {}, {}}, {bnd, node, 1, {}, {}, {}}};
  return plan;
}

/// Of each set: whether its map is local, as every rank finds.
std::vector<bool> local_maps(const comm::HaloPlan& plan, int rank_with_remote_target = -1) {
  std::vector<std::vector<bool>> found(3);
  comm::run_fake_ranks(3, [&](comm::Communicator& communicator) {
    comm::HaloPlan mine = plan;
    if (communicator.rank() == rank_with_remote_target) mine.maps.back().remote_targets = {{7, 0}};
    find_local_maps(communicator, mine);
    for (const comm::IndexMap& set : mine.sets)
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
  comm::HaloPlan two = maps_of_a_mesh(), target = maps_of_a_mesh();
  two.maps.push_back({bnd, node, 1, {}, {}, {}});
  EXPECT_THAT(local_maps(two), ElementsAre(false, false, false));
  target.maps.push_back({node, bnd, 1, {}, {}, {}});  // itself from a set that is a target
  EXPECT_THAT(local_maps(target), ElementsAre(false, false, false));
}

}  // namespace
}  // namespace op2::test
