// SPDX-License-Identifier: BSD-3-Clause
#include <core/levels.hpp>

#include <gtest/gtest.h>

namespace op2::core {
namespace {

TEST(Levels, ExecutingReachesTheNextReadableLayer) {
  EXPECT_EQ(up(1), 2);
  EXPECT_EQ(up(2), 4);
  EXPECT_EQ(up(0), 2);
  EXPECT_EQ(up(-1), 0);
  EXPECT_EQ(up(-2), 0);
  EXPECT_EQ(up(-3), -2);
}

TEST(Levels, CompletingATargetNeedsTheNextExecutableLayer) {
  EXPECT_EQ(need_exec(0), 1);
  EXPECT_EQ(need_exec(1), 3);
  EXPECT_EQ(need_exec(2), 3);
  EXPECT_EQ(need_exec(-1), 1);
  EXPECT_EQ(need_exec(-2), -1);
  EXPECT_EQ(need_exec(-3), -1);
}

TEST(Levels, ExecutingCompletesOneLayerLess) {
  EXPECT_EQ(cov(1), 0);
  EXPECT_EQ(cov(2), 0);
  EXPECT_EQ(cov(3), 2);
  EXPECT_EQ(cov(0), -2);
  EXPECT_EQ(cov(-1), -2);
  EXPECT_EQ(cov(-2), -4);
}

TEST(Levels, CompletionIsTheLargestLevelThatAnExtentCanServe) {
  for (Level h = -20; h <= 20; ++h) {
    EXPECT_LE(need_exec(cov(h)), h);
    EXPECT_GT(need_exec(cov(h) + 1), h);
  }
}

TEST(Levels, TheInsideIsTheLargestExtentThatAReadableLevelPermits) {
  for (Level h = -20; h <= 20; ++h) {
    EXPECT_LE(up(inside(h)), h);
    EXPECT_GT(up(inside(h) + 1), h);
  }
}

TEST(Levels, ThroughALocalMapExecutingReachesAndCompletesTheSameLayer) {
  EXPECT_EQ(local_targets(1), 0);
  EXPECT_EQ(local_targets(2), 0);
  EXPECT_EQ(local_targets(3), 2);
  EXPECT_EQ(local_targets(0), 0);
  EXPECT_EQ(local_targets(-2), 0);
  EXPECT_EQ(local_targets(-3), -2);
  EXPECT_EQ(local_targets(-4), -2);
  for (Level h = -20; h <= 20; ++h) {
    EXPECT_LE(local_targets(h), up(h));
    EXPECT_GE(local_targets(h), cov(h));
    EXPECT_GE(local_targets(need_exec(h)), h);
  }
}

TEST(Levels, TheInsideOfALocalMapIsTheLargestExtentThatAReadableLevelPermits) {
  for (Level h = -20; h <= 20; ++h) {
    EXPECT_LE(local_targets(local_inside(h)), h);
    EXPECT_GT(local_targets(local_inside(h) + 1), h);
  }
}

}  // namespace
}  // namespace op2::core
