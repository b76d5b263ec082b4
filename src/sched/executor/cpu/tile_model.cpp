// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/tile_model.hpp>

#include <algorithm>
#include <cmath>

namespace op2::sched {
namespace {

/// A tile shares its core's cache with indices and with data of the next tile.
constexpr double usable_cache = 0.75;

/// With a large shared cache, tiles may fill this fraction of a thread's share of it: longer index
/// ranges of each loop gain more than the faster cache. The rest is for other programs and for
/// errors in the estimated footprint.
constexpr double usable_share = 1.0 / 12;

/// Smaller gains in traffic are lost by short index ranges and by waiting for the second stage: the
/// loops between two exchanges of Airfoil, which gain 1.3 to 1.4, took 4 to 12 % longer in tiles
/// with data of half to all of the shared cache, and as long with three times as much.
constexpr double least_gain = 1.5;

/// Smaller tiles consist of their border.
constexpr std::int64_t least_rows = 512;

}  // namespace

bool saves_enough(const TileTraffic& traffic) {
  return traffic.loop_by_loop >= least_gain * traffic.once;
}

int tiles_per_thread(const TileTraffic& traffic, const core::Caches& caches, int threads) {
  const auto shared = static_cast<double>(caches.shared), own = static_cast<double>(caches.own);
  if (traffic.footprint < shared / 2 || traffic.footprint < own * threads) return 0;
  if (!saves_enough(traffic)) return 0;
  const double share = traffic.footprint / threads;
  const double room = std::max(usable_cache * own, usable_share * shared / threads);
  const auto tiles = static_cast<std::int64_t>(std::ceil(share / room));
  const std::int64_t most = traffic.home_rows / (threads * least_rows);
  return std::min(tiles, most) < 2 ? 0 : static_cast<int>(std::min(tiles, most));
}

}  // namespace op2::sched
