// SPDX-License-Identifier: BSD-3-Clause
// Globals that get the value of one element (OP_WRITE), perhaps that which has a minimum or maximum
// (OP_ARG_INFO). On several ranks each notes which of its elements it was; the ranks then compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include <sched/plan.hpp>

namespace op2::sched {

/// The mark of a value that no element has set.
inline constexpr std::int64_t no_element = -1;

/// Executes iterations one by one and marks values by the number of the element that changed them
/// last. Local. Cost: a comparison of these values per iteration.
/// @param numbers  of the rows
/// @param run_one  executes the iteration of a row
void run_and_mark(const LoopStep& step, const LoopPart& part, std::span<const std::int32_t> numbers,
                  const std::function<void(std::int64_t row)>& run_one);

/// What one rank has found for a global: pointers into what was gathered.
struct Found {
  const std::byte* value;
  std::int64_t mark;
  const std::byte* extreme;  ///< of the minimum or maximum that it belongs to, or null
};

/// The rank whose value counts: that with the best extreme, and of equal ones that of the lowest
/// number; without an extreme that of the highest number. -1: no element has set it, or none has
/// reached the value that the extreme has on some rank before the loop.
int winner_of(std::span<const Found> ranks, const core::LoopArg* extreme);

}  // namespace op2::sched
