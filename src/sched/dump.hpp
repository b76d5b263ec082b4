// SPDX-License-Identifier: BSD-3-Clause
// What OP2_DUMP shows: the results of the passes as text.
#pragma once

#include <string>

#include <core/chain.hpp>
#include <core/queue.hpp>
#include <sched/chain_builder.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Extents, cores and needs of a chain, on the axis of levels.
std::string describe_levels(const core::Queue& queue, RecordRange range,
                            const ChainDescription& chain, const core::ChainLevels& levels);

/// How each loop of a plan is shared among threads.
std::string describe_schedule(const core::Queue& queue, const Plan& plan);

}  // namespace op2::sched
