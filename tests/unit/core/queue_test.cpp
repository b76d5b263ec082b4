// SPDX-License-Identifier: BSD-3-Clause
#include <core/queue.hpp>

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace op2::core {
namespace {

struct QueuePeriod : testing::Test {
  std::array<op_kernel_core, 26> kernels{};
  Set set{};
  Queue queue;

  /// Queues loops, one for each letter; equal letters mean equal loops.
  std::size_t period_of(const std::string& loops) {
    queue.clear();
    for (const char letter : loops)
      queue.push_loop(&kernels[static_cast<std::size_t>(letter - 'a')], "loop", &set, {});
    return queue.period();
  }
};

TEST_F(QueuePeriod, IsTheSmallestLengthThatRepeats) {
  EXPECT_EQ(period_of("aaaa"), 1U);
  EXPECT_EQ(period_of("abab"), 2U);
  EXPECT_EQ(period_of("abcabcab"), 3U);
}

TEST_F(QueuePeriod, IsUnknownUnlessAllIsSeenTwice) {
  EXPECT_EQ(period_of(""), 0U);
  EXPECT_EQ(period_of("a"), 0U);
  EXPECT_EQ(period_of("abcab"), 0U);
  EXPECT_EQ(period_of("ababc"), 0U);
}

}  // namespace
}  // namespace op2::core
