// SPDX-License-Identifier: BSD-3-Clause
#include <core/error.hpp>

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <support/expect_error.hpp>

namespace op2::core {
namespace {

TEST(Fail, PutsValuesOfAllTypesIntoTheirPlaces) {
  EXPECT_EQ(test::error_text(ErrorCode::bad_size,
                             [] {
                               fail(ErrorCode::bad_size, "{} {} {} {} {} {} {}", "a",
                                    std::string("b"), -1, std::size_t{2}, 0.5, true, 'c');
                             }),
            "OP2-E202 a b -1 2 0.5 true c");
}

TEST(Fail, LeavesPlacesInsideAValueAsTheyAre) {
  EXPECT_EQ(
      test::error_text(ErrorCode::bad_size, [] { fail(ErrorCode::bad_size, "{}: {}", "{}", 3); }),
      "OP2-E202 {}: 3");
}

TEST(Fail, KnowsTheLargestNumbers) {
  EXPECT_EQ(
      test::error_text(ErrorCode::bad_size, [] { fail(ErrorCode::bad_size, "{}", UINT64_MAX); }),
      "OP2-E202 18446744073709551615");
}

}  // namespace
}  // namespace op2::core
