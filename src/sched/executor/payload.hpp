// SPDX-License-Identifier: BSD-3-Clause
// Payloads: globals that get the value of one element (OP_WRITE), or of the element with a minimum
// or maximum (OP_ARG_INFO: argmin and argmax). Each thread whose elements run in any order, and
// each rank, records which of its elements it was; then they are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include <comm/messages/communicator.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Executes the iteration of a row, with bindings of the arguments.
using RunRow = std::function<void(std::int64_t row, const core::ArgBinding* bound)>;

/// Executes iterations one by one and records, after each payload, the global index of the element
/// that set it last. Local. Cost: a comparison of these values per iteration; iterations that leave
/// an OP_WRITE global as it was are executed once more, to see whether they have set it.
/// @param rows           to run, in this order
/// @param global_index   of each local row
void run_and_track(const Step& step, const StepBindings& bindings, const IndexRanges& rows,
                   std::span<const std::int32_t> global_index, const RunRow& run_one);

/// Whether a global is an extreme with payloads that elements set in any order.
bool has_candidates(const Step& step, const GlobalArg& extreme);

/// Gives the first thread the best candidates of all threads, where elements ran in any order: each
/// extreme that has payloads, these, and their element; of equal extremes those of the lowest
/// global index. Zeros of both signs are equal, except in reproducible code.
void fold_candidates(const Step& step, const StepBindings& bindings);

/// A payload on one rank after its loop; owns nothing.
struct Payload {
  std::byte* value;               ///< the root's before the loop; becomes the result of all ranks
  std::size_t bytes;              ///< of the value
  const std::byte* found;         ///< by this rank, and
  std::int64_t element;           ///< by which element: global index, or no_element
  const core::LoopArg* extreme;   ///< its minimum or maximum, or null
  const std::byte* own_extreme;   ///< of this rank
  const std::byte* best_extreme;  ///< of all ranks
};

/// Gives all ranks the final values: with an extreme, that of the element with the best one (ties:
/// the lowest global index); without, that of the highest global index. The root's value, if no
/// element has set one or none has improved on the extreme's value before the loop on some rank.
/// Collective: two reductions.
void choose_payloads(comm::Communicator& communicator, std::span<const Payload> payloads);

}  // namespace op2::sched
