// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/gpu/tables.hpp>

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

IncrementLists lists_of(std::span<const std::int32_t> ends, IndexRange elements) {
  const std::array columns{RowAccess{ends.data(), 2, 100}, RowAccess{ends.data() + 1, 2, 100}};
  return elements_by_row(columns, elements);
}

TEST(ElementsByRow, EachRowListsTheElementsThatAddToIt) {
  const IncrementLists lists = lists_of(path, {0, 4});
  EXPECT_EQ(lists.positions, (IndexRange{0, 5}));
  EXPECT_THAT(lists.start, ElementsAre(0, 1, 3, 5, 7, 8));
  EXPECT_THAT(lists.increments, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
}

TEST(ElementsByRow, ConsecutiveRowsAreNotListed) {
  const IncrementLists lists = lists_of(path, {2, 4});
  EXPECT_EQ(lists.positions, (IndexRange{2, 5}));
  EXPECT_THAT(lists.rows, IsEmpty());
  EXPECT_THAT(lists.increments, ElementsAre(2, 2, 3, 3));
}

TEST(ElementsByRow, OtherRowsAreListedAndThoseWithoutIncrementsAreNot) {
  const std::array<std::int32_t, 4> ends{7, 3, 3, 90};
  const IncrementLists lists = lists_of(ends, {0, 2});
  EXPECT_EQ(lists.positions, (IndexRange{0, 3}));
  EXPECT_THAT(lists.rows, ElementsAre(3, 7, 90));
  EXPECT_THAT(lists.start, ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(lists.increments, ElementsAre(0, 1, 0, 1));
}

TEST(ElementsByRow, ElementsAreInAscendingOrderWhateverTheColumn) {
  const std::array<std::int32_t, 6> ends{1, 0, 0, 1, 1, 0};
  const IncrementLists lists = lists_of(ends, {0, 3});
  EXPECT_THAT(lists.increments, ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(ElementsByRow, AnElementThatAddsTwiceToARowIsListedOnce) {
  const std::array<std::int32_t, 2> ends{4, 4};
  const IncrementLists lists = lists_of(ends, {0, 1});
  EXPECT_EQ(lists.positions, (IndexRange{4, 5}));
  EXPECT_THAT(lists.increments, ElementsAre(0));
}

TEST(ElementsByRow, TheLongestOneCounts) {
  const std::array<std::int32_t, 6> ends{1, 0, 2, 1, 1, 3};
  EXPECT_EQ(most_increments(lists_of(ends, {0, 3})), 3);
}

TEST(ElementsByRow, NoElementsAddToNoRows) {
  const IncrementLists lists = lists_of(path, {2, 2});
  EXPECT_TRUE(lists.positions.empty());
  EXPECT_THAT(lists.start, ElementsAre(0));
  EXPECT_EQ(most_increments(lists), 0);
}

TEST(ElementsByRow, RowsThatGatherAreListedWithAndWithoutIncrements) {
  const std::array<std::int32_t, 4> ends{4, 2, 2, 1};
  const std::array columns{RowAccess{ends.data(), 2, 100}, RowAccess{ends.data() + 1, 2, 100}};
  const IncrementLists lists = elements_by_row(columns, {0, 2}, {0, 6});
  EXPECT_EQ(lists.positions, (IndexRange{0, 6}));
  EXPECT_THAT(lists.rows, IsEmpty());
  EXPECT_THAT(lists.start, ElementsAre(0, 0, 1, 3, 3, 4, 4));
  EXPECT_THAT(lists.increments, ElementsAre(1, 0, 1, 0));
}

TEST(ElementsByRow, OfSomeRowsHaveNoIncrementsOfOthers) {
  const std::array<std::int32_t, 4> ends{4, 2, 2, 1};
  const std::array columns{RowAccess{ends.data(), 2, 100}, RowAccess{ends.data() + 1, 2, 100}};
  const IncrementLists lists = elements_by_row(columns, {0, 2}, {2, 4});
  EXPECT_EQ(lists.positions, (IndexRange{2, 4}));
  EXPECT_THAT(lists.start, ElementsAre(0, 2, 2));
  EXPECT_THAT(lists.increments, ElementsAre(0, 1));
}

TEST(ElementsByRow, MoreIncrementsThanTheListsCanHoldAreAnError) {
  const std::array<RowAccess, 3> columns{};
  EXPECT_THAT(test::error_text(ErrorCode::too_large,
                               [&] { elements_by_row(columns, {0, std::int64_t{1} << 30}); }),
              HasSubstr("set OP2_GPU_INC=rows"));
}

/// Of the edges' ends; part c of edge e is number 2 e + c.
std::array<IncrementLists, 2> parts_of(std::span<const std::int32_t> ends,
                                       std::span<const std::int64_t> places, std::int64_t interior,
                                       std::int64_t end) {
  const std::array columns{RowAccess{ends.data(), 2, 100}, RowAccess{ends.data() + 1, 2, 100}};
  return parts_by_row(columns, places, interior, end);
}

TEST(PartsByRow, WithoutAnInteriorAllRowsAddInTheBoundaryPhase) {
  const auto [interior, boundary] = parts_of(path, {}, 0, 4);
  EXPECT_THAT(interior.rows, IsEmpty());
  EXPECT_THAT(boundary.rows, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(boundary.start, ElementsAre(0, 1, 3, 5, 7, 8));
  EXPECT_THAT(boundary.increments, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(PartsByRow, ARowOfBothPhasesAddsInTheSecondOne) {
  const auto [interior, boundary] = parts_of(path, {}, 2, 4);
  EXPECT_THAT(interior.rows, ElementsAre(0, 1));
  EXPECT_THAT(interior.increments, ElementsAre(0, 1, 2));
  EXPECT_THAT(boundary.rows, ElementsAre(2, 3, 4));
  EXPECT_THAT(boundary.start, ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(boundary.increments, ElementsAre(3, 4, 5, 6, 7));
}

TEST(PartsByRow, PartsAreInTheOrderOfThePlacesOfTheirElements) {
  const std::array<std::int64_t, 4> places{7, 3, 5, 1};
  const auto [interior, boundary] = parts_of(path, places, 2, 4);
  EXPECT_THAT(interior.rows, ElementsAre(0, 1));
  EXPECT_THAT(interior.increments, ElementsAre(0, 2, 1));
  EXPECT_THAT(boundary.rows, ElementsAre(2, 3, 4));
  EXPECT_THAT(boundary.increments, ElementsAre(3, 4, 6, 5, 7));
}

TEST(PartsByRow, AnElementThatAddsTwiceToARowDoesSoInTheOrderOfItsColumns) {
  const std::array<std::int32_t, 4> ends{4, 4, 9, 4};
  const auto [interior, boundary] = parts_of(ends, {}, 0, 2);
  EXPECT_THAT(boundary.rows, ElementsAre(4, 9));
  EXPECT_THAT(boundary.increments, ElementsAre(0, 1, 3, 2));
}

TEST(PartsByRow, MorePartsThanThereAreIntegersAreRefused) {
  const std::string message = test::error_text(ErrorCode::too_large, [] {
    const std::array<RowAccess, 2> columns{RowAccess{nullptr, 0, 1}, RowAccess{nullptr, 0, 1}};
    parts_by_row(columns, {}, 0, std::int64_t{1} << 30);
  });
  EXPECT_THAT(message, HasSubstr("1073741824 elements of a rank add to 2 rows each"));
}

}  // namespace
}  // namespace op2::sched
