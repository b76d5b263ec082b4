// SPDX-License-Identifier: BSD-3-Clause
// Globals that get the value of one element (OP_WRITE), perhaps that which has a minimum or maximum
// (OP_ARG_INFO: argmin and argmax payloads). On several ranks each notes which of its elements it
// was; the ranks then compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include <sched/executor/bindings.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Executes iterations one by one and notes, after each payload, the global index of the element
/// that changed it last. Local. Cost: a comparison of these values per iteration.
/// @param rows           that run, in this order
/// @param global_index   of each local row
/// @param run_one        executes the iteration of a row
void run_and_track(const Step& step, const StepBindings& bindings, const IndexRanges& rows,
                   std::span<const std::int32_t> global_index,
                   const std::function<void(std::int64_t row)>& run_one);

/// What one rank has found for a payload: pointers into what was gathered.
struct Found {
  const std::byte* value;
  std::int64_t element;      ///< global index, or no_element
  const std::byte* extreme;  ///< the minimum or maximum that it belongs to, or null
};

/// The rank whose value counts: that with the best extreme, and of equal ones that of the lowest
/// index; without an extreme that of the highest index. -1: no element has set it, or none has
/// reached the value that the extreme has on some rank before the loop.
int winner_of(std::span<const Found> ranks, const core::LoopArg* extreme);

}  // namespace op2::sched
