// SPDX-License-Identifier: BSD-3-Clause
// Work on several threads, separate from those that execute loops.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace op2::jit {

/// Calls work(0) ... work(costs.size() - 1), the most costly first, so that no thread is left with
/// a long one at the end: on this thread and up to `threads` - 1 others.
/// @param work  does not throw; is called by several threads at once
void run_parallel(std::span<const std::size_t> costs, std::size_t threads,
                  const std::function<void(std::size_t)>& work);

}  // namespace op2::jit
