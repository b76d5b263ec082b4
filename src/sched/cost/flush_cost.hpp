// SPDX-License-Identifier: BSD-3-Clause
// What a flush costs: a walk over its halo exchanges, from counts of iterations and messages and
// the cost of each. Pure: no clock, no messages, no mesh. All times are in seconds.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include <core/measurements/measurements.hpp>
#include <sched/cost/network.hpp>
#include <sched/cost/work.hpp>

namespace op2::sched {

/// Seconds of an iteration of one loop in each way; negative: not known.
struct LoopCost {
  std::array<double, core::ways> seconds{-1, -1, -1};
  /// What the measured tiles have spared of its traffic, from 0 to 1. 0: not known.
  double most_spared = 0;
  /// Whether tiles whose cost is not known are expected to gain.
  bool gains_by_tiles = true;
  /// Whether it was measured in this session, by enough iterations in warm caches: then it counts,
  /// whatever ranks that have not measured it know from earlier ones.
  std::array<bool, core::ways> is_measured{};

  bool is_known() const;
  bool is_known(Way way) const { return seconds[static_cast<std::size_t>(way)] >= 0; }
  /// In a way that is not known: that of another one, alone before tiled before fused; 0 if none
  /// is.
  double in(Way way) const;
};

/// Seconds of an iteration. In tiles: what was measured, if it spared as much; between that and the
/// cost without tiles, if less is spared. If nothing was measured, a share of what is spared counts
/// as time.
double seconds_per_iteration(const PhaseWork& work, const LoopCost& cost);

/// Of all loops of a chain, in one phase.
double seconds_of(const ChainWork& chain, PhaseWork LoopWork::* phase,
                  std::span<const LoopCost> loops);

/// What a flush takes beyond what its loops and messages explain. Exchanges: neighbours are late,
/// rows are in the caches of other cores, the network has become slower since it was measured.
struct Excess {
  double flush = 0;     ///< whatever the schedule is; negative: loops take less than they cost
  double exchange = 0;  ///< each
  double share = 0;     ///< of the time of exchanges (exchange_seconds)
};

struct Costs {
  std::span<const LoopCost> loops;
  Network network;
  Excess excess = {};
};

/// Seconds of a flush on a rank whose neighbours do as much as it does, and begin when it does.
/// Used with the counts of the rank that has most to do. Without Excess::flush: several make one.
double predicted_seconds(const FlushWork& flush, const Costs& costs);

/// Seconds of a whole flush, with all that measured ones have shown; at least half of what is
/// known, if costs are much too high.
double expected_seconds(const FlushWork& work, const Costs& costs);

/// Seconds of an exchange that nothing hides: packing, messages, unpacking.
double exchange_seconds(const ExchangeWork& exchange, const Network& network);

/// A schedule's flush and how long it really took.
struct MeasuredFlush {
  FlushWork work;
  double seconds;
};

/// By how much flushes took longer than the model expects. Of one flush, all that it took longer is
/// due to its exchanges: one half is the same for each, the other one in proportion to their time,
/// because the cause is not known. Of several with more and less exchanges, what they have in
/// common is not: a straight line is fitted (least squares). Exchanges never take less; nothing
/// without them.
/// @param costs  their excess does not count
Excess excess_of(std::span<const MeasuredFlush> flushes, Costs costs);

}  // namespace op2::sched
