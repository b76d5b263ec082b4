// SPDX-License-Identifier: BSD-3-Clause
// What iterations of each loop cost, by its identity (kernel, shape and size, not the loop's name),
// and what messages cost: measured in this session, or in an earlier one, which has left a small
// file beside the code of loops.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <core/queue.hpp>
#include <sched/cost/flush_cost.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

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
  const Sum& sum(Way way) const {
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

/// On what the cost of an iteration depends besides its loop.
struct CostContext {
  int threads = 1;
  bool reproducible = false;  ///< sums go through slots
};

/// A digest of the kernel's name and source, of the kinds, modes, dims and types of the arguments
/// and the arities of their maps, of the context, and with the size of the set on this rank, as a
/// power of 4: equal in all runs of a program on parts of about the same size.
std::string identity_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args,
                        const CostContext& context);

class CostHistory {
 public:
  explicit CostHistory(const CostContext& context) : context_(context) {}
  CostHistory(const CostHistory&) = delete;  // what it has given refers to it
  CostHistory& operator=(const CostHistory&) = delete;

  /// Costs of earlier sessions. Those of a set of another size are used only as long as the loop
  /// has not been measured: what is missing then is not mixed from another size, where caches hold
  /// more or less.
  void take_known(std::map<std::string, LoopCost> known) { known_ = std::move(known); }

  /// To be called before each flush.
  void begin_flush() { ++flush_; }

  /// Where what a loop takes is added up; the address holds as long as this object.
  LoopTimes& times_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args);

  /// Whose measurements count.
  enum class Sessions { earlier, all };
  /// Per record of the queue; nothing is known of assignments, nor in all sessions of a loop that
  /// has no elements here and has not run: other ranks know better.
  /// @param agreed  on what the ranks have agreed before, per record, or empty: counts where only a
  ///                first flush was measured here
  std::vector<LoopCost> costs_of(const core::Queue& queue, Sessions sessions,
                                 std::span<const LoopCost> agreed = {}) const;

  /// What is known, by identity, to be kept.
  /// @param most  so many; those that have not run in this session are left out first
  std::map<std::string, LoopCost> all(std::size_t most) const;

 private:
  LoopCost cost_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args,
                   Sessions sessions, const LoopCost& agreed) const;
  LoopCost earlier_cost(const std::string& digest, int size_class) const;

  const CostContext context_;
  std::map<std::string, LoopCost> known_;
  std::map<std::string, LoopTimes> measured_;
  std::int64_t flush_ = 0;  ///< its number
};

/// Where ranks run, as far as the cost of messages depends on it.
struct NodeLayout {
  int ranks = 1;
  int on_first_node = 1;  ///< of them, those on the node of the root
  auto operator<=>(const NodeLayout&) const = default;
};

struct CostTable {
  std::map<std::string, LoopCost> loops;   ///< by identity_of; all are non-negative, or -1
  std::map<NodeLayout, Network> networks;  ///< one link each

  bool empty() const { return loops.empty() && networks.empty(); }
};

/// More of either kind would not be a small file.
inline constexpr std::size_t most_loops = 4096, most_networks = 64;

/// Adds or replaces a network; if there are the most already, instead of that of the smallest job.
void keep(const NodeLayout& layout, const Network& network, CostTable& table);

/// As text: a line with the version, a line per loop and network, and a checksum. Absurd costs are
/// left out, and networks beyond the most.
std::string text_of(const CostTable& table);

/// @param problem  gets what is wrong with the text, if anything is; then the table is empty
CostTable table_from(std::string_view text, std::string& problem);

/// The table of a cache directory; empty if there is none, if it is damaged, or if others could
/// have written it (jit/cache_directory.hpp).
/// @param problem  why it is not used, with the path; empty also if there is none
CostTable read_costs(const std::string& directory, std::string& problem);

/// Replaces the table of a cache directory as a whole. @return why that failed; empty: it did not
std::string write_costs(const std::string& directory, const CostTable& table);

/// Lets a plan's rows add to the history.
void register_times(const core::Queue& queue, CostHistory& history, Plan& plan);

}  // namespace op2::sched
