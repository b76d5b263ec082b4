// SPDX-License-Identifier: BSD-3-Clause
// Runs the steps of a plan on the CPU.
#pragma once

#include <core/queue.hpp>
#include <core/thread_pool.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Runs one loop to its end, reductions included: afterwards the user's memory or the lazy global
/// has the result. Throws only what a kernel's host function throws; then results are not touched.
void run_loop(LoopStep& step, const core::LoopRecord& record, core::Queue& queue,
              core::ThreadPool& pool);

/// Assigns the captured values to the record's global.
void run_assignment(const core::LoopRecord& record, core::Queue& queue);

}  // namespace op2::sched
