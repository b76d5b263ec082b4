// SPDX-License-Identifier: BSD-3-Clause
// The end of a loop: what its threads and ranks have found becomes the value of each global.
#pragma once

#include <comm/messages/communicator.hpp>
#include <core/queue.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Completes the reductions of a loop when both halves have run: afterwards the user's memory has
/// the result, and a lazy global, on several ranks, what this one adds to it. Collective if the
/// loop has a raw reduction; then what a host function throws ends the session.
void finish_reductions(const LoopStep& step, const core::Queue& queue,
                       comm::Communicator& communicator);

}  // namespace op2::sched
