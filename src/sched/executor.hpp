// SPDX-License-Identifier: BSD-3-Clause
// Runs the loops of a plan on the CPU.
#pragma once

#include <core/queue.hpp>
#include <core/thread_pool.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Tells a loop where the globals of this call are, before its first iterations; call it before
/// either half. Memory of the queue and of lazy globals may move from call to call, but not between
/// the halves of one.
void bind_globals(LoopStep& step, Half half, core::Queue& queue);

/// Runs the iterations of a half. Throws only what a kernel's host function throws.
void run_half(const LoopStep& step, Half half, core::ThreadPool& pool);

/// Assigns the captured values to the record's global. Local.
void run_assignment(const core::LoopRecord& record, core::Queue& queue);

}  // namespace op2::sched
