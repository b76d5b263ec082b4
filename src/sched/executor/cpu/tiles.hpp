// SPDX-License-Identifier: BSD-3-Clause
// Sparse tiles: the iterations of all loops of a chain, regrouped so that the data of a tile fit
// into a cache. A tile holds some iterations of every loop; tiles run one after the other, and
// inside a tile the loops run in their order. First how index arrays are tiled; then the pass:
// which steps can be executed together, what they access, and, by a model of memory traffic,
// whether that is profitable.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <core/options.hpp>
#include <core/queue.hpp>
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

/// Adds up the traffic of steps, each dat and map as far as they can access it.
class StepTraffic {
 public:
  /// @param rows  of each set, by its index: owned ones
  explicit StepTraffic(std::vector<double> rows) : rows_(std::move(rows)) {}

  /// The next step, which counts if it has iterations.
  /// @param loops  arguments of the loops that run together, for each element of the set
  void add(std::span<const std::span<const core::LoopArg>> loops, const op_set_core& set,
           double iterations);
  /// Those with iterations.
  int steps() const { return steps_; }
  /// With the rows of the set whose modified rows are accessed most often.
  TileTraffic sum() const;

 private:
  struct Use {
    int step = 0;           ///< the last one that uses it,
    bool reads = false;     ///< reads it,
    bool modifies = false;  ///< modifies it,
    bool is_fresh = false;  ///< has written it before it reads it,
    double args = 0;        ///< and by so many arguments
    int set = 0;
    double accesses = 0;       ///< of all steps
    double reached = 0;        ///< bytes
    bool is_modified = false;  ///< by any step
  };
  struct MapUse {
    int step = 0;
    double reached = 0;  ///< bytes
  };
  void use(const op_map_core& map, double iterations);
  void use(const core::LoopArg& arg, double iterations);

  const std::vector<double> rows_;
  int steps_ = 0;
  double loop_by_loop_ = 0;
  std::vector<Use> dats_;               ///< by their indices
  std::vector<MapUse> maps_;            ///< by their indices
  std::vector<const core::Dat*> used_;  ///< in this step, by first use
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
