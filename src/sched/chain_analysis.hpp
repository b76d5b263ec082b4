// SPDX-License-Identifier: BSD-3-Clause
// How far each loop of a chain must run, what must be exchanged before, what may run meanwhile and
// what is valid after. Pure functions of descriptors: local, and equal on every rank.
// All cost O(arguments of the chain).
#pragma once

#include <span>
#include <vector>

#include <core/chain.hpp>

namespace op2::sched {

/// The analysis ends here, so that a long chain costs no more; a deeper core counts as empty.
/// Deeper than the rows of any mesh are told apart (core::deepest_tracked): what the analysis says
/// does not depend on how they are kept.
inline constexpr core::Level deepest_core = -40;

/// Extents, and the validity that each dat must have before the chain.
struct ChainDemand {
  std::vector<core::Level> extent;  ///< per loop
  std::vector<core::Level> need;    ///< per dat
};

/// Backward pass: from what is wanted at the end to what is needed at the start.
/// @param wanted  per dat: the level to which it must be valid after the chain
ChainDemand chain_demand(std::span<const core::ChainLoop> chain,
                         std::span<const core::Level> wanted);

/// Forward pass: for each loop the level up to which it may run while the halo of every dat with
/// valid < need is still in flight.
/// @param valid  per dat: validity before the exchange
std::vector<core::Level> chain_core(std::span<const core::ChainLoop> chain,
                                    const ChainDemand& demand, std::span<const core::Level> valid);

/// Forward pass: validity of every dat after the chain.
/// @param valid  per dat: validity before the exchange
std::vector<core::Level> validity_after(std::span<const core::ChainLoop> chain,
                                        const ChainDemand& demand,
                                        std::span<const core::Level> valid);

/// All of it.
/// @param valid   per dat: validity before the chain (0: only owned rows; no_level: stale)
/// @param wanted  per dat: as for chain_demand; 0 is the usual wish
core::ChainLevels analyse_chain(std::span<const core::ChainLoop> chain,
                                std::span<const core::Level> valid,
                                std::span<const core::Level> wanted);

}  // namespace op2::sched
