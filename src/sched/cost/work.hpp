// SPDX-License-Identifier: BSD-3-Clause
// What a rank does in a flush, in numbers: iterations and messages, from the sizes of its halos.
// Plain numbers, so that they can be those of one rank, the greatest of all ranks, or those of a
// partition that was only computed. Pure, but for the sizes of a halo plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <comm/halo/halo_plan.hpp>
#include <core/levels.hpp>
#include <core/measurements/measurements.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <core/topology.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

using core::Way;

/// A halo exchange of one rank: a message for each neighbour.
struct ExchangeWork {
  double messages = 0, bytes = 0;  ///< that it sends
  double rows = 0;                 ///< that it packs, each once per dat
};

/// Iterations of a loop on one rank.
struct PhaseWork {
  double iterations = 0;
  Way way = Way::alone;
  double spared = 0;         ///< in tiles: the part of the traffic to memory that these spare
  Way untiled = Way::alone;  ///< in tiles: how they would run without
};
struct LoopWork {
  std::size_t loop = 0;  ///< where its cost is
  PhaseWork interior;    ///< while messages are in flight
  PhaseWork boundary;

  double iterations() const { return interior.iterations + boundary.iterations; }
};

/// Loops that one exchange precedes, if any.
struct ChainWork {
  std::optional<ExchangeWork> exchange;
  std::vector<LoopWork> loops;
};

/// All that a rank does between two calls that need results, but for reductions: they are the same
/// in all schedules.
struct FlushWork {
  std::vector<ChainWork> chains;

  double exchanges() const;
  double bytes() const;  ///< sent
  double iterations() const;
};

/// Of one set. Beyond the levels that are given, halos are taken to grow by two levels as they did
/// last, and interiors to shrink.
struct SetSizes {
  std::vector<double> within;          ///< rows of W_h, at [h - core::deepest_tracked]
  std::vector<double> sent, received;  ///< rows of level h > 0, at [h - 1]
  std::vector<double> neighbours;      ///< to which rows of levels 1 .. h go, at [h - 1]

  double rows_within(core::Level h) const;
  double rows_sent(core::Level from, core::Level to) const;  ///< of levels (from, to]
  double neighbours_up_to(core::Level h) const;
};

struct HaloSizes {
  std::vector<SetSizes> sets;  ///< by the index of the set

  /// As words for a reduction over the ranks, and back: `take` expects what `words` gave.
  std::vector<std::int64_t> words() const;
  void take(std::span<const std::int64_t>::iterator& next);
};

/// Those of this rank; as many numbers as on every other rank. Local. The plan has neighbours.
HaloSizes sizes_of(const comm::HaloPlan& plan);

/// What decides about tiles, equal on all ranks: the rule of the CPU executor
/// (executor/cpu/tiles.hpp), before there is a plan.
struct TileRules {
  core::Tiling tiling = {};
  core::Caches caches = {};  ///< bytes; the greatest of all ranks
  int threads = 1;           ///< of the rank that has most
};

/// What a rank of these sizes does in a schedule; single rows and the iterations of slices are
/// those of this rank, with interiors of levels. Loops find their costs by the record. Those of a
/// chain run in tiles where `tiles` says so; of the others, neighbours that run over one set, to
/// one extent, count as fused. Not known here: which arguments fused loops have in common, zeros
/// that they do not keep in memory, loops that run in order or on the host, whether ranges of a
/// tile would be too short or need too many slots, and how many of a rank's rows are in its
/// interior. Pure. Cost: O(arguments x levels), and the largest index of their dats and maps; sums
/// are the same on all ranks.
/// @param tiles  nothing: what has a neighbour in its chain, and is not fused, counts as tiled
FlushWork work_of(const core::Queue& queue, const Analysis& analysis, const HaloSizes& sizes,
                  const std::optional<TileRules>& tiles = {});

}  // namespace op2::sched
