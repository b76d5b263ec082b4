// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/pull_lists.hpp>

#include <array>

#include <gmock/gmock.h>

#include <support/expect_error.hpp>

namespace op2::sched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Edges of a path: edge e has the ends e and e + 1.
constexpr std::array<std::int32_t, 8> path{0, 1, 1, 2, 2, 3, 3, 4};

PullLists lists_of(std::span<const std::int32_t> ends, IndexRange iterations) {
  const std::array columns{RowAccess{ends.data(), 2, 100}, RowAccess{ends.data() + 1, 2, 100}};
  return make_pull_lists(columns, iterations);
}

TEST(PullLists, EachRowListsTheIterationsThatAddToIt) {
  const PullLists lists = lists_of(path, {0, 4});
  EXPECT_EQ(lists.positions, (IndexRange{0, 5}));
  EXPECT_THAT(lists.start, ElementsAre(0, 1, 3, 5, 7, 8));
  EXPECT_THAT(lists.iterations, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
}

TEST(PullLists, ConsecutiveRowsAreNotListed) {
  const PullLists lists = lists_of(path, {2, 4});
  EXPECT_EQ(lists.positions, (IndexRange{2, 5}));
  EXPECT_THAT(lists.rows, IsEmpty());
  EXPECT_THAT(lists.iterations, ElementsAre(2, 2, 3, 3));
}

TEST(PullLists, OtherRowsAreListedAndThoseWithoutIncrementsAreNot) {
  const std::array<std::int32_t, 4> ends{7, 3, 3, 90};
  const PullLists lists = lists_of(ends, {0, 2});
  EXPECT_EQ(lists.positions, (IndexRange{0, 3}));
  EXPECT_THAT(lists.rows, ElementsAre(3, 7, 90));
  EXPECT_THAT(lists.start, ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(lists.iterations, ElementsAre(0, 1, 0, 1));
}

TEST(PullLists, IterationsAreInAscendingOrderWhateverTheColumn) {
  const std::array<std::int32_t, 6> ends{1, 0, 0, 1, 1, 0};
  const PullLists lists = lists_of(ends, {0, 3});
  EXPECT_THAT(lists.iterations, ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(PullLists, AnIterationThatAddsTwiceToARowIsListedOnce) {
  const std::array<std::int32_t, 2> ends{4, 4};
  const PullLists lists = lists_of(ends, {0, 1});
  EXPECT_EQ(lists.positions, (IndexRange{4, 5}));
  EXPECT_THAT(lists.iterations, ElementsAre(0));
}

TEST(PullLists, TheLongestOneCounts) {
  const std::array<std::int32_t, 6> ends{1, 0, 2, 1, 1, 3};
  EXPECT_EQ(most_iterations(lists_of(ends, {0, 3})), 3);
}

TEST(PullLists, NoIterationsAddToNoRows) {
  const PullLists lists = lists_of(path, {2, 2});
  EXPECT_TRUE(lists.positions.empty());
  EXPECT_THAT(lists.start, ElementsAre(0));
  EXPECT_EQ(most_iterations(lists), 0);
}

TEST(PullLists, RowsThatGatherAreListedWithAndWithoutIncrements) {
  const std::array<std::int32_t, 4> ends{4, 2, 2, 1};
  const std::array columns{RowAccess{ends.data(), 2, 100}, RowAccess{ends.data() + 1, 2, 100}};
  const PullLists lists = make_gather_lists(columns, {0, 2}, {0, 6});
  EXPECT_EQ(lists.positions, (IndexRange{0, 6}));
  EXPECT_THAT(lists.rows, IsEmpty());
  EXPECT_THAT(lists.start, ElementsAre(0, 0, 1, 3, 3, 4, 4));
  EXPECT_THAT(lists.iterations, ElementsAre(1, 0, 1, 0));
}

TEST(PullLists, OfSomeRowsHaveNoIncrementsOfOthers) {
  const std::array<std::int32_t, 4> ends{4, 2, 2, 1};
  const std::array columns{RowAccess{ends.data(), 2, 100}, RowAccess{ends.data() + 1, 2, 100}};
  const PullLists lists = make_gather_lists(columns, {0, 2}, {2, 4});
  EXPECT_EQ(lists.positions, (IndexRange{2, 4}));
  EXPECT_THAT(lists.start, ElementsAre(0, 2, 2));
  EXPECT_THAT(lists.iterations, ElementsAre(0, 1));
}

TEST(PullLists, MoreIncrementsThanTheListsCanHoldAreAnError) {
  const std::array<RowAccess, 3> columns{};
  EXPECT_THAT(test::error_text(ErrorCode::too_large,
                               [&] {
                                 make_pull_lists(columns, {0, std::int64_t{1} << 30});
                               }),
              HasSubstr("set OP2_GPU_INC=rows"));
}

}  // namespace
}  // namespace op2::sched
