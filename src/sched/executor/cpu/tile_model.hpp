// SPDX-License-Identifier: BSD-3-Clause
// Whether tiles pay, and how large they should be: first by a model of memory traffic, then by
// measurement.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <core/topology.hpp>

namespace op2::sched {

/// What the loops of a chain move between memory and cores, in bytes.
struct TileTraffic {
  double loop_by_loop;  ///< each loop fetches what it uses
  double once;          ///< each byte is fetched once, and written back once if it is modified
  double footprint;     ///< of all that the loops use
  std::int64_t home_rows;
};

/// Tiles per thread, or 0 where the model expects no gain: what the loops use fits into the caches
/// anyway, or is used by one loop only.
int tiles_per_thread(const TileTraffic& traffic, const core::Caches& caches, int threads);

/// Compares tiles with loop after loop by executing both in turn, three times each, and stays with
/// tiles unless the best time without them was clearly shorter.
class TileTrial {
 public:
  /// @param measured  false: tiles without a trial
  explicit TileTrial(bool measured) : left_(measured ? 6 : 0) {}

  /// How the next execution goes.
  bool wants_tiles() const { return left_ == 0 ? tiles_win_ : left_ % 2 == 0; }
  /// Tells how long it took.
  void add(double seconds) {
    if (left_ == 0) return;
    double& best = best_[static_cast<std::size_t>(left_ % 2)];
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
