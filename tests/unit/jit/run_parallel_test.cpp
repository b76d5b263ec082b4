// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <vector>

#include <gmock/gmock.h>

#include <jit/run_parallel.hpp>

namespace op2::jit {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(RunParallel, BeginsWithTheMostCostly) {
  const std::vector<std::size_t> costs{2, 5, 1, 5};
  std::vector<std::size_t> begun;
  run_parallel(costs, 1, [&](std::size_t i) { begun.push_back(i); });
  EXPECT_THAT(begun, ElementsAre(1, 3, 0, 2));
}

TEST(RunParallel, DoesAllWorkOnceWhateverTheThreads) {
  std::vector<std::atomic<int>> calls(100);
  run_parallel(std::vector<std::size_t>(calls.size(), 1), 8, [&](std::size_t i) { ++calls[i]; });
  EXPECT_THAT(std::vector<int>(calls.begin(), calls.end()), Each(1));
}

}  // namespace
}  // namespace op2::jit
