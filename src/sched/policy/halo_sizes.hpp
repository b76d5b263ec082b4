// SPDX-License-Identifier: BSD-3-Clause
// How many rows a rank has at each level and how many it exchanges: what the cost model needs of a
// mesh. Plain numbers, so that they can be those of one rank, the greatest of all ranks, or those
// of a partition that was only computed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <comm/halo/halo_plan.hpp>
#include <core/levels.hpp>
#include <core/queue.hpp>
#include <sched/plan.hpp>
#include <sched/policy/chain_model.hpp>
#include <sched/policy/tile_forecast.hpp>

namespace op2::sched {

/// Of one set. Beyond the levels that are given, halos are taken to grow by two levels as they did
/// last, and interiors to shrink.
struct SetSizes {
  std::vector<double> within;          ///< rows of W_h, at [h - core::deepest_tracked]
  std::vector<double> sent, received;  ///< rows of level h > 0, at [h - 1]
  std::vector<double> neighbours;      ///< to which rows of levels 1 .. h go, at [h - 1]

  double rows_within(core::Level h) const;
  double rows_sent(core::Level from, core::Level to) const;  ///< of levels (from, to]
  double rows_received(core::Level from, core::Level to) const;
  double neighbours_up_to(core::Level h) const;
};

struct HaloSizes {
  std::vector<SetSizes> sets;  ///< by the index of the set
  double on_node = 1;          ///< the part of messages and bytes that stays on the node

  /// As words for a reduction over the ranks, and back: `take` expects what `words` gave.
  /// @param known  without what concerns levels up to this one
  std::vector<std::int64_t> words(core::Level known = no_levels) const;
  void take(std::span<const std::int64_t>::iterator& next, core::Level known = no_levels);

  /// Replaces what concerns the levels that `known`, of the same sets, has too.
  /// @return the highest of them
  core::Level take_levels_of(const HaloSizes& known);

  static constexpr core::Level no_levels = core::deepest_tracked - 1;
};

/// Those of this rank; as many numbers as on every other rank. Local. The plan has neighbours.
HaloSizes sizes_of(const comm::HaloPlan& plan);

/// What a rank of these sizes does in a schedule. Loops find their costs by the record. Those of a
/// chain run in tiles where `tiles` says so; of the others, neighbours that run over one set, to
/// one extent, count as fused. Pure. Cost: O(arguments x levels), and that of forecast_tiles.
/// @param tiles  nothing: what has a neighbour in its chain, and is not fused, counts as tiled
FlushWork work_of(const core::Queue& queue, const Analysis& analysis, const HaloSizes& sizes,
                  const std::optional<TileRules>& tiles = {});

}  // namespace op2::sched
