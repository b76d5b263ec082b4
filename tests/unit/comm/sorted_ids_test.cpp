// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/sorted_ids.hpp>

#include <random>
#include <set>

#include <gtest/gtest.h>

using op2::comm::GlobalId;
using op2::comm::SortedIds;

namespace {

/// Numbers as partitions have them: runs, gaps and strays.
std::vector<GlobalId> some_ids(std::mt19937& random) {
  std::set<GlobalId> ids;
  const GlobalId range = GlobalId{1} << std::uniform_int_distribution(0, 31)(random);
  std::uniform_int_distribution<GlobalId> anywhere(0, range);
  const int runs = std::uniform_int_distribution(0, 5)(random);
  for (int run = 0; run < runs; ++run) {
    const GlobalId first = anywhere(random);
    const int length = std::uniform_int_distribution(1, 200)(random);
    for (GlobalId id = first; id < first + length; ++id) ids.insert(id);
  }
  return {ids.begin(), ids.end()};
}

TEST(SortedIds, FindsWhatIsThereAndNothingElse) {
  std::mt19937 random(1);
  for (int k = 0; k < 300; ++k) {
    const std::vector<GlobalId> ids = some_ids(random);
    const std::set<GlobalId> there(ids.begin(), ids.end());
    const SortedIds sorted(ids);
    ASSERT_EQ(sorted.ids(), ids);
    for (std::size_t position = 0; position < ids.size(); ++position) {
      ASSERT_EQ(sorted.find(ids[position]), static_cast<std::int32_t>(position));
      for (const GlobalId near : {ids[position] - 1, ids[position] + 1})
        if (!there.contains(near)) {
          ASSERT_EQ(sorted.find(near), SortedIds::none);
        }
    }
  }
}

TEST(SortedIds, NothingIsInAnEmptyList) {
  EXPECT_EQ(SortedIds().find(0), SortedIds::none);
  EXPECT_EQ(SortedIds(std::vector<GlobalId>()).find(-1), SortedIds::none);
}

}  // namespace
