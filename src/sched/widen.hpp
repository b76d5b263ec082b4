// SPDX-License-Identifier: BSD-3-Clause
// Loops that run further into the halo than their results are needed, so that they run the same
// elements as their neighbours and can be fused with them. Pure; uniform.
#pragma once

#include <span>
#include <vector>

#include <core/chain.hpp>
#include <sched/chain_analysis.hpp>

namespace op2::sched {

/// Extents of a chain's loops, none below that of `demand`. A loop that only modifies the rows of
/// its own elements runs as far as the furthest of its neighbours over the same set, if all that it
/// uses is valid there: so no message and no other loop changes. Loops are neighbours if each two
/// in a row access a dat by the same element. Cost: O(arguments of the chain), for each loop that
/// is in question.
/// @param valid  per dat: validity before the exchange
std::vector<core::Level> widened_extents(std::span<const core::ChainLoop> chain,
                                         const ChainDemand& demand,
                                         std::span<const core::Level> valid);

}  // namespace op2::sched
