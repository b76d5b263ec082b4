// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <core/similar_name.hpp>
#include <core/value_type.hpp>

namespace op2::core {
namespace {

using testing::Optional;

TEST(SimilarName, IsTheNearestIfItIsNear) {
  EXPECT_THAT(similar_name("doulbe", type_names()), Optional(std::string("double")));
  EXPECT_THAT(similar_name("integer", std::vector<std::string>{"float", "integers"}),
              Optional(std::string("integers")));
  EXPECT_EQ(did_you_mean("flaot", type_names()), "; did you mean 'float'?");
}

TEST(SimilarName, IsNoneIfNothingIsNear) {
  for (const char* const far : {"real", "d", "char", "x", ""})
    EXPECT_EQ(similar_name(far, type_names()), std::nullopt) << far;
  EXPECT_EQ(did_you_mean("real", type_names()), "");
  EXPECT_EQ(did_you_mean("real", {}), "");
}

}  // namespace
}  // namespace op2::core
