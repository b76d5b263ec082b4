// SPDX-License-Identifier: BSD-3-Clause
// What of a chain may run while its messages are in flight, once it is known which loops run
// together. Pure; uniform.
#pragma once

#include <vector>

#include <core/queue.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Per group: W_interior of its set runs before the messages have arrived.
/// @param levels  per record; only the extents are used
/// @param groups  all loops of the chain that are not dead, in their order
std::vector<core::Level> interiors_of(const core::Queue& queue, const Chain& chain,
                                      const std::vector<LoopLevels>& levels,
                                      const std::vector<LoopGroup>& groups);

}  // namespace op2::sched
