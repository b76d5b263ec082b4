// SPDX-License-Identifier: BSD-3-Clause
// Globals that get the value of one element (OP_WRITE), perhaps that which has a minimum or maximum
// (OP_ARG_INFO: argmin and argmax payloads). On several ranks each notes which of its elements it
// was; the ranks then compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include <comm/messages/communicator.hpp>
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

/// A payload on one rank after its loop; owns nothing.
struct Payload {
  std::byte* value;        ///< that of the root before the loop; becomes the result of all ranks
  std::size_t bytes;       ///< of the value
  const std::byte* found;  ///< by this rank, and
  std::int64_t element;    ///< by which element: global index, or no_element
  const core::LoopArg* extreme;   ///< the minimum or maximum that it belongs to, or null
  const std::byte* own_extreme;   ///< of this rank
  const std::byte* best_extreme;  ///< of all ranks
};

/// Gives all ranks the values that count: those of the element with the best extreme, of equal ones
/// of the lowest index; without an extreme of the highest index. If no element has set one, or none
/// has reached the value that the extreme has on some rank before the loop: the root's value.
/// Collective: two reductions.
void choose_payloads(comm::Communicator& communicator, std::span<const Payload> payloads);

}  // namespace op2::sched
