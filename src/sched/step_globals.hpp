// SPDX-License-Identifier: BSD-3-Clause
// Which globals a step reads and reduces, and where its partial results are.
#pragma once

#include <core/queue.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Finds the globals of a step of loops and gives the reductions their offsets in a thread's block.
void add_globals(const core::Queue& queue, const Chain& chain, bool reproducible, Step& step);

/// The lazy globals that a dead loop reads. In the reproducible mode a sum is rounded where a loop
/// reads it, also if that loop is dead, which depends on what comes later in the queue.
void add_globals_of_dead(const core::Queue& queue, const Chain& chain, Step& step);

}  // namespace op2::sched
