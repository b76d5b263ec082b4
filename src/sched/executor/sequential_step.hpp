// SPDX-License-Identifier: BSD-3-Clause
// A step on one thread, in order: for the reference executor, and for what another executor cannot
// run.
#pragma once

#include <sched/executor/bindings.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// The rows that a step runs in a phase: one by one, ascending by global index, if the order
/// matters and the rows have another. Cost: O(rows log rows) then, otherwise none.
IndexRanges rows_in_order(const Step& step, const StepCode& code, Phase phase);

/// Runs them: the CPU's code if there is any, otherwise host functions.
/// @param bindings  of one thread, with blocks for iterations that do not count
void run_in_order(const Step& step, const StepCode& code, const StepBindings& bindings,
                  Phase phase);

}  // namespace op2::sched
