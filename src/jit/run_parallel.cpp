// SPDX-License-Identifier: BSD-3-Clause
#include <jit/run_parallel.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

#include <core/signals.hpp>

namespace op2::jit {

void run_parallel(std::span<const std::size_t> costs, std::size_t threads,
                  const std::function<void(std::size_t)>& work) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return costs[i]; });
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t k = next++; k < order.size(); k = next++) work(order[k]);
  };
  std::vector<std::jthread> helpers;
  try {
    const core::SignalsBlocked blocked;
    while (helpers.size() + 1 < std::min(order.size(), threads)) helpers.emplace_back(run);
  } catch (const std::system_error&) {
    // No more threads are available: those that run do all the work.
  }
  run();
}

}  // namespace op2::jit
