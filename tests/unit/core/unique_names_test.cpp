// SPDX-License-Identifier: BSD-3-Clause
#include <core/unique_names.hpp>

#include <string>

#include <gtest/gtest.h>

namespace op2::core {
namespace {

TEST(UniqueNames, ANameThatIsTakenGetsANumber) {
  UniqueNames names;
  EXPECT_EQ(names.take("q"), "q");
  EXPECT_EQ(names.take("q"), "q#2");
  EXPECT_EQ(names.take("q"), "q#3");
}

TEST(UniqueNames, ANumberThatAnotherRecordHasInItsNameIsSkipped) {
  UniqueNames names;
  names.take("q#2");
  names.take("q");
  EXPECT_EQ(names.take("q"), "q#3");
}

TEST(UniqueNames, ASharedNameIsTakenUntilItsLastUserEnds) {
  UniqueNames names;
  names.share("t");
  names.share("t");
  names.end_share("t");
  EXPECT_EQ(names.take("t"), "t#2");
  names.end_share("t");
  EXPECT_EQ(names.take("t"), "t");
}

// Looking at all records for every number would take hours.
TEST(UniqueNames, FiftyThousandRecordsMayWantOneName) {
  UniqueNames names;
  std::string last;
  for (int k = 0; k < 50'000; ++k) last = names.take("q");
  EXPECT_EQ(last, "q#50000");
}

}  // namespace
}  // namespace op2::core
