// SPDX-License-Identifier: BSD-3-Clause
// Which loops of a chain will run in tiles, before there is a plan: the rule of the CPU executor
// (executor/cpu/tiles.hpp), applied to the sizes that the ranks have agreed on. Pure.
#pragma once

#include <span>

#include <core/options.hpp>
#include <core/queue.hpp>
#include <core/topology.hpp>
#include <sched/policy/chain_model.hpp>

namespace op2::sched {

struct HaloSizes;

/// What decides about tiles, equal on all ranks.
struct TileRules {
  core::Tiling tiling = {};
  core::Caches caches = {};  ///< bytes; the greatest of all ranks
  int threads = 1;           ///< of the rank that has most
};

/// Marks the loops that will run in tiles, with the part of their traffic between memory and cores
/// that these spare. Not known here: which arguments fused loops have in common, zeros that they do
/// not keep in memory, loops that run in order or on the host, whether ranges of a tile would be
/// too short or need too many slots, and how many of a rank's rows are in its interior. Cost:
/// O(arguments) and the largest index of their dats and maps; sums are the same on all ranks.
/// @param steps  of one chain: loops that run together, in each
/// @param phase  the iterations that count; steps without any take no part
void forecast_tiles(const core::Queue& queue, std::span<const std::span<LoopWork>> steps,
                    double LoopWork::* phase, const HaloSizes& sizes, const TileRules& rules);

}  // namespace op2::sched
