// SPDX-License-Identifier: BSD-3-Clause
#include <core/inverse_map.hpp>

#include <cstdint>

#include <gmock/gmock.h>

namespace op2::core {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The edges that lead to each node; edge e has the ends ends[2 e] and ends[2 e + 1].
InverseMap<std::int32_t, std::int64_t> edges_of_nodes(std::size_t nodes,
                                                      const std::vector<std::int32_t>& ends) {
  return invert<std::int32_t, std::int64_t>(nodes, [&](const auto& add) {
    for (std::size_t k = 0; k < ends.size(); ++k) add(ends[k], static_cast<std::int32_t>(k / 2));
  });
}

TEST(InverseMap, ListsTheSourcesOfEachTargetInTheirOrder) {
  const auto edges = edges_of_nodes(4, {0, 1, 3, 1, 1, 0});
  EXPECT_THAT(edges.sources_of(0), ElementsAre(0, 2));
  EXPECT_THAT(edges.sources_of(1), ElementsAre(0, 1, 2));
  EXPECT_THAT(edges.sources_of(2), IsEmpty());
  EXPECT_THAT(edges.sources_of(3), ElementsAre(1));
}

TEST(InverseMap, RepeatsASourceThatLeadsToATargetTwice) {
  EXPECT_THAT(edges_of_nodes(1, {0, 0}).sources_of(0), ElementsAre(0, 0));
}

TEST(InverseMap, MayHaveNoTargets) {
  const auto none = edges_of_nodes(0, {});
  EXPECT_EQ(none.targets(), 0U);
  EXPECT_THAT(none.values, IsEmpty());
}

}  // namespace
}  // namespace op2::core
