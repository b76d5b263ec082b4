// SPDX-License-Identifier: BSD-3-Clause
// What a flush costs: a walk over its halo exchanges, from counts of iterations and messages and
// the cost of each. Pure: no clock, no messages, no mesh. All times are in seconds.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <core/measurements/loop_table.hpp>

namespace op2::sched {

using core::Way;

/// Seconds of an iteration of one loop in each way; negative: not known.
struct LoopCost {
  std::array<double, core::ways> seconds{-1, -1, -1};
  /// What the measured tiles have spared of its traffic, from 0 to 1. 0: not known.
  double most_spared = 0;
  /// Whether it was measured in this session, by enough iterations in warm caches: then it counts,
  /// whatever ranks that have not measured it know from earlier ones.
  std::array<bool, core::ways> is_measured{};

  bool is_known() const;
  bool is_known(Way way) const { return seconds[static_cast<std::size_t>(way)] >= 0; }
  /// In a way that is not known: that of another one, alone before tiled before fused; 0 if none
  /// is.
  double in(Way way) const;
};

/// What iterations of one loop have taken so far, by the way they ran. The flush in which a way is
/// first used counts separately: caches were cold and pages missing.
class LoopTimes {
 public:
  struct Sum {
    double seconds = 0, iterations = 0;
  };
  /// @param flush  the number of the present flush; outlives it. Null: all count.
  explicit LoopTimes(const std::int64_t* flush = nullptr) : flush_(flush) {}

  /// Whether any iterations were added.
  bool has_run() const {
    return std::ranges::any_of(ways_, [](const PerWay& way) { return way.first_flush >= 0; });
  }
  /// @param iterations  0 for the later colours of a loop in colours: the first counts all
  void add(Way way, double iterations, double seconds) {
    PerWay& times = ways_[static_cast<std::size_t>(way)];
    if (times.first_flush < 0 && iterations == 0) return;
    if (times.first_flush < 0) times.first_flush = flush_ == nullptr ? 0 : *flush_;
    Sum& sum = flush_ == nullptr || *flush_ > times.first_flush ? times.later : times.first;
    sum.seconds += seconds;
    sum.iterations += iterations;
  }
  /// Whether a way was used in a flush after its first one.
  bool is_warm(Way way) const { return ways_[static_cast<std::size_t>(way)].later.iterations > 0; }
  /// Without the first flush, unless it is the only one.
  const Sum& of(Way way) const {
    const PerWay& times = ways_[static_cast<std::size_t>(way)];
    return is_warm(way) ? times.later : times.first;
  }

 private:
  struct PerWay {
    std::int64_t first_flush = -1;
    Sum first, later;
  };
  const std::int64_t* flush_;
  std::array<PerWay, core::ways> ways_{};
};

/// What packing has taken so far on a rank, with the sending of messages, and what unpacking has.
struct PackTimes {
  double seconds = 0, messages = 0, rows = 0;
  double unpacking_seconds = 0, bytes_received = 0;
};

/// Messages between two ranks.
struct Link {
  double overhead = 0;          ///< of the processor, per message, on either side
  double latency = 0;           ///< from the end of sending to the arrival
  double seconds_per_byte = 0;  ///< during which the link is busy
};

/// The library measures one link, which it uses for both; predictions for other machines know two.
enum class Distance { on_node, across };
inline constexpr std::size_t distances = 2;

struct Network {
  std::array<Link, distances> links{};  ///< by Distance
  double packed_row = 0;                ///< of a dat into a message
  double received_byte = 0;             ///< from a message into rows

  /// Negative figures of links stand for "not known".
  bool is_known() const { return links[0].latency >= 0; }
  const Link& at(Distance d) const { return links[static_cast<std::size_t>(d)]; }
};

/// Messages of one direction.
struct Traffic {
  double messages = 0, bytes = 0;
};

/// A halo exchange of one rank; one message for each neighbour.
struct ExchangeWork {
  std::array<Traffic, distances> sent{}, received{};  ///< by Distance
  double packed_rows = 0;                             ///< each once per dat

  double bytes_sent() const { return sent[0].bytes + sent[1].bytes; }
};

/// The iterations of a loop on one rank.
struct LoopWork {
  std::size_t loop = 0;  ///< where its cost is
  Way way = Way::alone;
  double core = 0;           ///< iterations while messages are in flight
  double rest = 0;           ///< the others
  double spared = 0;         ///< if in tiles: that part of its traffic, see forecast_tiles
  Way untiled = Way::alone;  ///< and how they would run without
};

/// Seconds of an iteration. In tiles: what was measured, if it spared as much; between that and the
/// cost without tiles, if less is spared. If nothing was measured, a share of what is spared counts
/// as time.
double seconds_per_iteration(const LoopWork& loop, const LoopCost& cost);

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

/// A rank that has sent its messages.
struct Departure {
  double ready;    ///< when it goes on
  double arrival;  ///< when the last of its messages is at its neighbour
};

/// The sending half of an exchange that a rank begins at `start`: rows are packed, then messages
/// leave one after the other, each as soon as its link is free.
Departure depart(double start, const ExchangeWork& exchange, const Network& network);

/// The end of a chain on one rank.
/// @param ready    when its messages were sent; without an exchange, its start
/// @param arrival  of the last message that it waits for; without an exchange, its start
double end_of_chain(double ready, double arrival, const ChainWork& chain, const Costs& costs);

/// Seconds of a reduction of a few words, which no rank is late for: one round of messages for each
/// level of a tree.
double reduction_seconds(int ranks, const Network& network);

/// Seconds of a flush on a rank whose neighbours do as much as it does, and begin when it does.
/// Used with the counts of the rank that has most to do. Without Excess::flush: several make one.
double predicted_seconds(const FlushWork& flush, const Costs& costs);

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
