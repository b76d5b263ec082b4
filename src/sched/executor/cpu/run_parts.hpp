// SPDX-License-Identifier: BSD-3-Clause
// Runs the iterations of one step on the threads of a pool.
#pragma once

#include <core/thread_pool.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/executor/cpu/loop_parts.hpp>
#include <sched/executor/cpu/slots.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Runs the iterations of a phase, with compiled code or with the kernels' host functions. The
/// globals of this call are bound. Throws only what a host function throws.
void run_parts(const Step& step, const StepCode& code, const StepParts& parts,
               const StepBindings& bindings, const StepSlots& slots, Phase phase,
               core::ThreadPool& pool);

}  // namespace op2::sched
