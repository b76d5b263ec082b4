// SPDX-License-Identifier: BSD-3-Clause
// The pass that regroups the iterations of a chain's steps into tiles: which steps can be executed
// together, what they access, and, by a model of memory traffic, whether that is profitable.
#pragma once

#include <cstdint>
#include <vector>

#include <core/options.hpp>
#include <core/topology.hpp>
#include <sched/executor/cpu/tile_plan.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Traffic between memory and cores of the loops of a chain, in bytes.
struct TileTraffic {
  double loop_by_loop;  ///< each loop loads the data that it uses
  double once;          ///< each byte is loaded once, and stored once if it is modified
  double footprint;     ///< of all data that the loops use
  std::int64_t home_rows;
};

/// Whether tiles would spare enough of the traffic, if the data do not fit into caches.
bool saves_enough(const TileTraffic& traffic);

/// Tiles per thread; 0 if the model expects no gain: the data fit into the caches, or only one loop
/// uses them.
int tiles_per_thread(const TileTraffic& traffic, const core::Caches& caches, int threads);

/// Steps that are executed tile by tile, in one phase.
struct TiledSteps {
  std::size_t begin, end;          ///< positions in the plan; also of steps without iterations
  std::vector<std::size_t> steps;  ///< by TileItem::loop
  TilePlan plan;
};

/// The tiles of one chain, by ascending positions of steps.
struct ChainTiles {
  std::vector<TiledSteps> interior, boundary;
  std::vector<TiledSteps>& in(Phase phase) {
    return phase == Phase::interior ? interior : boundary;
  }
  const std::vector<TiledSteps>& in(Phase phase) const {
    return phase == Phase::interior ? interior : boundary;
  }
};

/// What tiles depend on beside the plan.
struct TileContext {
  const core::Tiling& tiling;
  const core::Caches& caches;
  int threads;
};

/// Tiles for the steps of each chain that can be tiled, if that is expected to be profitable.
/// Local. Cost: some executions of the plan, see plan_tiles.
std::vector<ChainTiles> make_tiles(const Plan& plan, const TileContext& context);

}  // namespace op2::sched
