// SPDX-License-Identifier: BSD-3-Clause
// The extents of a chain's loops, the validity needed before, what may run during the exchange, and
// the validity afterwards; and how far loops run beyond that so that they can be fused. Pure
// functions of descriptors: local, equal on every rank. Costs are O(arguments of the chain) unless
// stated.
#pragma once

#include <span>
#include <vector>

#include <core/layout.hpp>
#include <core/levels.hpp>

namespace op2::sched {

/// The deepest interior; a deeper one counts as empty, so that long chains cost no more. It is
/// below core::deepest_tracked, so that the analysis does not depend on how rows are stored, except
/// those of sets that keep the declared order (ChainLoop::deepest).
inline constexpr core::Level deepest_interior = -40;
static_assert(deepest_interior < core::deepest_tracked);

/// Backward pass: from the validity wanted at the end to that needed at the start. Extents and
/// needs.
/// @param wanted  per dat: the level to which it must be valid after the chain
core::ChainLevels chain_demand(std::span<const core::ChainLoop> chain,
                               std::span<const core::Level> wanted);

/// Loops of a chain whose kernels are called one after the other for each element of a set. The
/// first `gathered` are over other sets: an element executes, before the others, all their elements
/// that add to its row, and keeps what goes to this row (jit::LoopNest::gathered).
struct LoopGroup {
  std::vector<std::size_t> loops;  ///< records, ascending; none is dead
  std::size_t gathered = 0;

  /// The record at which the group runs: gathered loops wait for the first of the others, behind
  /// assignments in between.
  std::size_t position() const { return loops[gathered]; }
};

// The following use the extents and needs of `levels` alone.

/// Forward pass: for each group the level up to which it may run while the halo of every dat with
/// valid < need is still in flight.
/// @param valid   per dat: validity before the exchange
/// @param groups  cover all loops that are not dead, in their order
/// @param first   the record of the chain's first loop
std::vector<core::Level> chain_interior(std::span<const core::ChainLoop> chain,
                                        const core::ChainLevels& levels,
                                        std::span<const core::Level> valid,
                                        std::span<const LoopGroup> groups, std::size_t first = 0);

/// The same if each loop runs by itself. Per loop; no_level also for a dead one.
std::vector<core::Level> interiors_of_loops(std::span<const core::ChainLoop> chain,
                                            const core::ChainLevels& levels,
                                            std::span<const core::Level> valid);

/// Forward pass: validity of every dat after the chain.
/// @param valid  per dat: validity before the exchange
std::vector<core::Level> validity_after(std::span<const core::ChainLoop> chain,
                                        const core::ChainLevels& levels,
                                        std::span<const core::Level> valid);

/// The complete analysis.
/// @param valid   per dat: validity before the chain (0: only owned rows; no_level: stale)
/// @param wanted  per dat: as for chain_demand; usually 0
core::ChainLevels analyse_chain(std::span<const core::ChainLoop> chain,
                                std::span<const core::Level> valid,
                                std::span<const core::Level> wanted);

/// Extents with which loops run further than their results are needed, so that they run the same
/// elements as their neighbours; none is below that of `levels`. Loops are neighbours if they are
/// next to each other, over the same set, and access a dat by the same element. Neighbours that run
/// equally far go as far as the next ones, if they use no map, reduce nothing (see
/// ChainLoop::reduction) and all that they use is valid there: so no message and no other loop
/// changes. Cost: a pass over the arguments of the chain for each loop that is in question.
/// @param valid  per dat: validity before the exchange
std::vector<core::Level> widened_extents(std::span<const core::ChainLoop> chain,
                                         const core::ChainLevels& levels,
                                         std::span<const core::Level> valid);

/// Widens the extents of a chain, and finds its interiors again, unless these then part as many
/// neighbours as extents join. The validity afterwards remains what was needed.
/// @param levels  of analyse_chain
/// @param valid   as for it
void widen(core::ChainLevels& levels, std::span<const core::ChainLoop> chain,
           std::span<const core::Level> valid);

}  // namespace op2::sched
