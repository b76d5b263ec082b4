// SPDX-License-Identifier: BSD-3-Clause
// Runs the loops of a plan on the CPU.
#pragma once

#include <comm/communicator.hpp>
#include <core/queue.hpp>
#include <core/thread_pool.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Runs what does not need the halos that are on their way. Throws only what a kernel's host
/// function throws.
void run_early(LoopStep& step, const core::LoopRecord& record, core::Queue& queue,
               core::ThreadPool& pool);

/// Runs the rest of a loop, reductions included: afterwards the user's memory has the result, and a
/// lazy global, on several ranks, what this one adds to it. Collective if the loop has a raw
/// reduction; then what a host function throws ends the session.
void run_late(LoopStep& step, const core::LoopRecord& record, core::Queue& queue,
              core::ThreadPool& pool, comm::Communicator& communicator);

/// Assigns the captured values to the record's global. Local.
void run_assignment(const core::LoopRecord& record, core::Queue& queue);

}  // namespace op2::sched
