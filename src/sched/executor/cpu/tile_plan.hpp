// SPDX-License-Identifier: BSD-3-Clause
// Sparse tiles: the iterations of all loops of a chain, regrouped so that what a group accesses
// fits into a cache. A tile holds some iterations of every loop; tiles run one after the other, and
// inside a tile the loops run in their order. Pure functions of index arrays: local.
#pragma once

#include <cstdint>
#include <vector>

#include <sched/index_range.hpp>
#include <sched/row_access.hpp>

namespace op2::sched {

/// A loop as tiles see it.
struct TileLoop {
  int set;
  IndexRange rows;
  /// Iterations from here on are redundant: they take no part in reductions.
  std::int64_t border;
  /// Accesses to dats that any loop of the chain modifies, each once.
  std::vector<RowAccess> accesses;
};

/// A map that says which rows lie close to each other.
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
  std::int64_t home_rows;  ///< of it the first ones, which lie in an order of neighbourhood
};

/// How the home set is cut.
struct TileShape {
  int threads;
  int tiles;                   ///< of each thread
  std::uint64_t shuffled = 0;  ///< not 0: the tiles of a thread come in a random order; for tests
  /// Without so many iterations per run on average there is no plan: it would be large and slow.
  double least_run = 0;
};

/// Iterations [begin, end).
struct TileRun {
  std::int32_t begin, end;
};

/// What one tile does of one loop.
struct TileItem {
  std::int32_t loop;
  std::uint32_t first_run, runs;  ///< in TilePlan::runs, ascending
  bool counts;                    ///< its iterations take part in reductions
};

/// stages[p][t]: what thread t does in stage p, in this order. Phases are separated by barriers.
struct TilePlan {
  std::vector<std::vector<std::vector<TileItem>>> stages;
  std::vector<TileRun> runs;
};

/// Every iteration goes to the earliest tile in which all that it depends on has happened: rows
/// remember, for each set, the last tile in which anything was done with them, whatever it was. The
/// first stage has one block of tiles per thread; what accesses the blocks of two threads waits for
/// the next stage, and so on. No two threads access a row in the same stage, so there is neither a
/// race nor an atomic operation.
///
/// Cost: O(iterations that access rows through maps + sets); loops that access only their own rows
/// cost nothing beyond the first. Memory: two numbers per row while it runs; then the runs.
/// @return empty, without stages, if the runs are too short
TilePlan plan_tiles(const TileProblem& problem, const TileShape& shape);

/// How well tiles can be executed.
struct TileStatistics {
  std::int64_t iterations;
  std::int64_t tiles;  ///< in the first stage
  double first_stage;  ///< fraction of them that waits for no barrier
  double per_run;      ///< iterations per run: short runs are slow
  double per_item;     ///< iterations of one loop in one tile
};
TileStatistics statistics_of(const TilePlan& plan);

}  // namespace op2::sched
