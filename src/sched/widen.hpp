// SPDX-License-Identifier: BSD-3-Clause
// Loops that run further into the halo than their results are needed, so that they run the same
// elements as their neighbours and can be fused with them. Pure; uniform.
#pragma once

#include <span>
#include <vector>

#include <core/chain.hpp>
#include <sched/chain_analysis.hpp>

namespace op2::sched {

/// Extents of a chain's loops, none below that of `demand`. Loops are neighbours if they are next
/// to each other, over the same set, and access a dat by the same element. Neighbours that run
/// equally far go as far as the next ones, if they use no map, reduce nothing (see
/// ChainLoop::reduction) and all that they use is valid there: so no message and no other loop
/// changes. Cost: a pass over the arguments of the chain for each loop that is in question.
/// @param valid  per dat: validity before the exchange
std::vector<core::Level> widened_extents(std::span<const core::ChainLoop> chain,
                                         const ChainDemand& demand,
                                         std::span<const core::Level> valid);

/// Widens the extents of a chain, and finds its interiors again, unless these then part as many
/// neighbours as extents join. The validity afterwards remains what was needed.
/// @param levels  of analyse_chain
/// @param valid   as for it
void widen(core::ChainLevels& levels, std::span<const core::ChainLoop> chain,
           std::span<const core::Level> valid);

}  // namespace op2::sched
