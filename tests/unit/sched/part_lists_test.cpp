// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/part_lists.hpp>

#include <array>

#include <gmock/gmock.h>

#include <support/expect_error.hpp>

namespace op2::sched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Edges of a path: edge e has the ends e and e + 1; its parts are 2 e and 2 e + 1.
constexpr std::array<std::int32_t, 8> path{0, 1, 1, 2, 2, 3, 3, 4};

PhaseParts lists_of(std::span<const std::int32_t> ends, std::span<const std::int64_t> places,
                    std::int64_t interior, std::int64_t end) {
  const std::array columns{RowAccess{ends.data(), 2, 100}, RowAccess{ends.data() + 1, 2, 100}};
  return make_part_lists(columns, places, interior, end);
}

TEST(PartLists, WithoutAnInteriorAllRowsAddInTheBoundaryPhase) {
  const PhaseParts lists = lists_of(path, {}, 0, 4);
  EXPECT_THAT(lists.interior.rows, IsEmpty());
  EXPECT_THAT(lists.boundary.rows, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(lists.boundary.start, ElementsAre(0, 1, 3, 5, 7, 8));
  EXPECT_THAT(lists.boundary.parts, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(PartLists, ARowOfBothPhasesAddsInTheSecondOne) {
  const PhaseParts lists = lists_of(path, {}, 2, 4);
  EXPECT_THAT(lists.interior.rows, ElementsAre(0, 1));
  EXPECT_THAT(lists.interior.parts, ElementsAre(0, 1, 2));
  EXPECT_THAT(lists.boundary.rows, ElementsAre(2, 3, 4));
  EXPECT_THAT(lists.boundary.start, ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(lists.boundary.parts, ElementsAre(3, 4, 5, 6, 7));
}

TEST(PartLists, PartsAreInTheOrderOfThePlacesOfTheirElements) {
  const std::array<std::int64_t, 4> places{7, 3, 5, 1};
  const PhaseParts lists = lists_of(path, places, 2, 4);
  EXPECT_THAT(lists.interior.rows, ElementsAre(0, 1));
  EXPECT_THAT(lists.interior.parts, ElementsAre(0, 2, 1));
  EXPECT_THAT(lists.boundary.rows, ElementsAre(2, 3, 4));
  EXPECT_THAT(lists.boundary.parts, ElementsAre(3, 4, 6, 5, 7));
}

TEST(PartLists, AnElementThatAddsTwiceToARowDoesSoInTheOrderOfItsColumns) {
  const std::array<std::int32_t, 4> ends{4, 4, 9, 4};
  const PhaseParts lists = lists_of(ends, {}, 0, 2);
  EXPECT_THAT(lists.boundary.rows, ElementsAre(4, 9));
  EXPECT_THAT(lists.boundary.parts, ElementsAre(0, 1, 3, 2));
}

TEST(PartLists, MorePartsThanThereAreIntegersAreRefused) {
  const std::string message = test::error_text(ErrorCode::too_large, [] {
    const std::array<RowAccess, 2> columns{RowAccess{nullptr, 0, 1}, RowAccess{nullptr, 0, 1}};
    make_part_lists(columns, {}, 0, std::int64_t{1} << 30);
  });
  EXPECT_THAT(message, HasSubstr("1073741824 elements of a rank add to 2 rows each"));
}

}  // namespace
}  // namespace op2::sched
