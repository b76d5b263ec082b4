// SPDX-License-Identifier: BSD-3-Clause
// Whether tiles are profitable, and their size: by a model of memory traffic, and by measurement.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <core/topology.hpp>

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

/// Compares tiles with loop after loop by executing both alternately, three times each, and keeps
/// tiles unless the best time without them was clearly shorter.
class TileTrial {
 public:
  /// @param measured  false: tiles without a trial
  explicit TileTrial(bool measured) : left_(measured ? 6 : 0) {}

  /// Whether the next execution uses tiles.
  bool wants_tiles() const { return left_ == 0 ? tiles_win_ : left_ % 2 == 0; }
  /// Adds the time of that execution.
  void add(double seconds) {
    if (left_ == 0) return;
    double& best = best_[left_ % 2];
    best = std::min(best, seconds);
    constexpr double clearly = 0.97;
    if (--left_ == 0) tiles_win_ = best_[1] > clearly * best_[0];
  }
  bool decided() const { return left_ == 0; }

 private:
  int left_;
  bool tiles_win_ = true;
  std::array<double, 2> best_{1e300, 1e300};  ///< with tiles, without
};

}  // namespace op2::sched
