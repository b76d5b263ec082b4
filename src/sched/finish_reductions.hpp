// SPDX-License-Identifier: BSD-3-Clause
// From this rank's partial results of a step to values of globals.
#pragma once

#include <cstddef>
#include <functional>

#include <comm/messages/communicator.hpp>
#include <core/queue.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// This rank's result for a reduction of a step, see PreparedPlan::collect.
using Collect = std::function<std::byte*(const GlobalArg&)>;

/// Raw globals get their final value: collective if the step has any. Lazy ones are combined over
/// the ranks when their value is needed.
void finish_reductions(const Step& step, const core::Queue& queue, comm::Communicator& communicator,
                       const Collect& collect);

}  // namespace op2::sched
