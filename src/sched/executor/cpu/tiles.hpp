// SPDX-License-Identifier: BSD-3-Clause
// Sparse tiles: the iterations of all loops of a chain, regrouped so that the data of a tile fit
// into a cache. A tile holds some iterations of every loop; tiles run one after the other, and
// inside a tile the loops run in their order. First how index arrays are tiled; then the pass:
// which steps can be executed together, what they access, and, by a model of memory traffic,
// whether that is profitable.
#pragma once

#include <cstdint>
#include <vector>

#include <core/options.hpp>
#include <core/topology.hpp>
#include <sched/plan.hpp>
#include <sched/rows.hpp>

namespace op2::sched {

/// A loop of a tile problem.
struct TileLoop {
  int set;
  IndexRange rows;
  /// Iterations from here on are redundant: they do not count in reductions.
  std::int64_t border;
  /// Accesses to dats that any loop of the chain modifies, each once.
  std::vector<RowAccess> accesses;
};

/// A map that tells which rows are close to each other.
struct TileLink {
  int from, to;
  const std::int32_t* entries;  ///< shape [rows x arity]
  int arity;
  std::int64_t rows;
};

struct TileProblem {
  std::vector<std::int64_t> sizes;  ///< rows of each set
  std::vector<TileLoop> loops;
  std::vector<TileLink> links;
  int home;                ///< the set that is cut into tiles; others follow through links
  std::int64_t home_rows;  ///< its first rows, which are ordered for locality
};

/// How the home set is cut.
struct TileShape {
  int threads;
  int tiles;                   ///< of each thread
  std::uint64_t shuffled = 0;  ///< not 0: the tiles of a thread run in a random order; for tests
  /// There is no plan with fewer iterations per run on average: it would be large and slow.
  double least_run = 0;
};

/// Iterations [begin, end).
struct TileRun {
  std::int32_t begin, end;
};

/// The iterations of one loop in one tile.
struct TileItem {
  std::int32_t loop;
  std::uint32_t first_run, runs;  ///< in TilePlan::runs, ascending
  bool counts;                    ///< its iterations count in reductions
  std::uint32_t number;           ///< among all items
};

/// stages[p][t]: what thread t does in stage p, in this order. Stages are separated by barriers.
struct TilePlan {
  std::vector<std::vector<std::vector<TileItem>>> stages;
  std::vector<TileRun> runs;
  std::uint32_t items = 0;
};

/// Every iteration is assigned to the earliest tile after all iterations that it depends on: each
/// row records the last tile that accesses it. The first stage has one block of tiles per thread;
/// iterations that access the blocks of two threads wait for the next stage, and so on. No two
/// threads access a row in the same stage, so there are neither races nor atomic operations.
///
/// Cost: O(iterations that access rows through maps + sets); of the loops that access only their
/// own rows, all but the first are free. Memory: two numbers per row meanwhile; then the runs.
/// @return empty, without stages, if the runs are too short
TilePlan plan_tiles(const TileProblem& problem, const TileShape& shape);

/// The efficiency of tiles.
struct TileStatistics {
  std::int64_t iterations;
  std::int64_t tiles;  ///< in the first stage
  double first_stage;  ///< fraction of the iterations that are in the first stage
  double per_run;      ///< iterations per run: short runs are slow
  double per_item;     ///< iterations of one loop in one tile
};
TileStatistics statistics_of(const TilePlan& plan);

/// Traffic between memory and cores of the loops of a chain, in bytes.
struct TileTraffic {
  double loop_by_loop;  ///< each loop loads the data that it uses
  double once;          ///< each byte is loaded once, and stored once if it is modified
  double footprint;     ///< of all data that the loops use
  std::int64_t home_rows;
};

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
