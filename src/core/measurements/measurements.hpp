// SPDX-License-Identifier: BSD-3-Clause
// The one store of what a session measures of this rank: the per-loop table (how often, how long,
// how much memory traffic, and by what code), and where the wall clock time goes. Every moment of
// the program's thread counts in one part, so that the parts add up to the whole, and in the
// regions that are open. Of all ranks: the same as rows, with the memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <core/clock.hpp>
#include <core/measurements/listener.hpp>

namespace op2::core {

struct PartTime {
  std::int64_t entries = 0;
  double seconds = 0;
};

/// A region, or (the first one) everything outside of regions. Loops and their time are without
/// those of the regions inside, `seconds` and `executing` with them.
struct Region {
  std::string name;
  std::string path;  ///< "step/flux"
  int parent = 0;
  std::int64_t calls = 0;
  double seconds = 0;       ///< from its begins to its ends
  double executing = 0;     ///< of them, in parts of executing loops
  std::int64_t loops = 0;   ///< that were called in it, and have run
  double loop_seconds = 0;  ///< of these
};

/// For one thread.
class Profile {
 public:
  /// More regions count in one that is named "others".
  static constexpr std::size_t most_regions = 4096;

  /// Begins with Part::start. @param listeners  outlive it
  explicit Profile(const Listeners& listeners);

  /// @return the part that was left
  Part enter(Part part) { return enter(part, Clock::now()); }
  Part enter(Part part, Clock::time_point now) {
    at(part_).seconds += seconds_between(since_, now);
    since_ = now;
    return std::exchange(part_, part);
  }
  void count(Part part) { ++at(part).entries; }
  const Listeners& listeners() const { return listeners_; }

  /// @return a number that no other begin in the process has
  std::int64_t begin_region(const char* name);
  /// Ends the innermost region. @return whether there was one
  bool end_region();
  /// Ends the region of this begin and those inside; nothing if it has ended.
  void end_region(std::int64_t begun);
  /// Whether any has begun.
  bool has_regions() const { return regions_.size() > 1; }
  /// For loops that are called now.
  int region() const { return open_.empty() ? 0 : open_.back().region; }

  /// Loops that were called in a region have run.
  void credit(int region, std::int64_t loops, double seconds) {
    regions_[static_cast<std::size_t>(region)].loops += loops;
    regions_[static_cast<std::size_t>(region)].loop_seconds += seconds;
  }

  /// Until now, open regions included.
  std::array<PartTime, parts> part_times();
  std::vector<Region> regions();

 private:
  struct Open {
    int region;
    std::int64_t begun;
    Clock::time_point begin;
    double executing;  ///< before
  };
  PartTime& at(Part part) { return times_[static_cast<std::size_t>(part)]; }
  double executing();
  int region_named(const std::string& name);

  const Listeners& listeners_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point since_ = start_;
  Part part_ = Part::start;
  std::array<PartTime, parts> times_{};
  std::vector<Region> regions_{1};
  std::map<std::pair<int, std::string>, int> known_;  ///< by parent and name
  std::vector<Open> open_;
  std::int64_t begun_;
};

/// The part of a scope. Null: nobody asks.
class InPart {
 public:
  InPart(Profile* profile, Part part)
      : InPart(profile, part, profile == nullptr ? Clock::time_point() : Clock::now()) {}
  /// @param now  for callers that know the time
  InPart(Profile* profile, Part part, Clock::time_point now) : profile_(profile), part_(part) {
    if (profile_ == nullptr) return;
    outer_ = profile_->enter(part, now);
    profile_->count(part);
    for (const auto& listener : profile_->listeners()) listener->part_begins(part_);
  }
  ~InPart() {
    if (profile_ != nullptr) leave(Clock::now());
  }
  InPart(const InPart&) = delete;
  InPart& operator=(const InPart&) = delete;

  /// Before the end of the scope, as above.
  void leave(Clock::time_point now) {
    if (profile_ == nullptr) return;
    for (const auto& listener : profile_->listeners()) listener->part_ends(part_);
    std::exchange(profile_, nullptr)->enter(outer_, now);
  }

 private:
  Profile* profile_;  ///< null, too, after `leave`
  Part part_, outer_ = Part::program;
};

/// Over the ranks. One that does not know a region counts with 0.
struct Spread {
  double least = 0, mean = 0, most = 0;
};

/// Of a part, a region or a kind of memory.
struct TimesRow {
  std::string name;
  std::int64_t calls = 0;              ///< the most of a rank; of a part: entries
  std::int64_t loops = 0;              ///< the most of a rank, of a region
  Spread value{};                      ///< seconds; of memory: bytes
  Spread executing{}, loop_seconds{};  ///< of a region
};

/// Of a table that is not made by a session: empty.
struct RunTimes {
  bool compared = false;  ///< there are several ranks
  Spread wall;
  std::vector<TimesRow> parts;    ///< that any rank has entered; means add up to that of `wall`
  std::vector<TimesRow> regions;  ///< with the regions inside; the outer one first
  std::vector<TimesRow> memory;
};

/// What this rank uses, in bytes.
using MemoryUse = std::pair<const char*, double>;

/// What a rank sends to the one that makes the table.
std::string times_of_rank(Profile& profile, std::span<const MemoryUse> memory);
/// @param texts  of all ranks
RunTimes times_of_run(std::span<const std::string> texts);

/// How the iterations of a loop run; the cost of one depends on it.
enum class Way {
  alone,  ///< all of one loop, then those of the next
  tiled,  ///< with those of other loops, tile by tile
  fused   ///< in one step with those of other loops over the same set
};
inline constexpr std::size_t ways = 3;

/// How the code of a row begins whose kernel could not be compiled: "host (OP2-E104)".
inline constexpr std::string_view fell_back = "host (OP2-E";

/// One row: all loops of one name. `bytes` is the useful traffic: each dat once per loop (twice if
/// read and written), each map row once; a cache that holds less moves more.
struct LoopRow {
  std::string name;
  std::string code;            ///< "jit", "host", or why it fell back
  std::int64_t calls = 0;      ///< as a separate loop; only these have seconds and bytes
  std::int64_t skipped = 0;    ///< calls whose results were overwritten before use
  std::int64_t elements = 0;   ///< iterations, those of fused calls too
  std::int64_t interior = 0;   ///< of them, those that ran while messages were in flight
  std::int64_t redundant = 0;  ///< of them, those for elements of other ranks
  double seconds = 0;
  double bytes = 0;
  double flops = 0;            ///< floating-point operations of its code
  std::int64_t uncounted = 0;  ///< iterations of code whose operations are not known
  std::int64_t tiled = 0;      ///< of the iterations, those that ran tile by tile
  /// Calls as part of other rows, which have their time, by the names of these.
  std::map<std::string, std::int64_t> fused_in = {};
  std::vector<std::string> loops = {};  ///< that were fused, if any
  std::vector<std::string> keys = {};   ///< of its entries in the cache, in the order of first use
  /// In a table of all ranks, where `seconds` are those of the slowest one: of the fastest one, and
  /// the mean.
  double least_seconds = 0, mean_seconds = 0;
};

class LoopTable {
 public:
  /// The row of a name; its address holds as long as the table.
  LoopRow& row(const std::string& name);
  /// Null if there is none.
  const LoopRow* find(std::string_view name) const;
  const std::deque<LoopRow>& rows() const { return rows_; }

  int ranks = 1;  ///< that the rows are of
  RunTimes times;
  std::map<std::string, std::string> notes;  ///< lines below the rows, by their subjects

 private:
  std::deque<LoopRow> rows_;
  std::map<std::string, std::size_t, std::less<>> positions_;  ///< of names in rows_
};

/// Which loops ran as host functions since their kernels could not be compiled, and how much of the
/// loops' time they took; empty if there are none.
std::string fallen_back_as_text(const LoopTable& table);

std::string table_as_text(const LoopTable& table);
std::string table_as_csv(const LoopTable& table);
std::string table_as_json(const LoopTable& table);

/// With who listens to it.
struct Measurements {
  Listeners listeners;
  LoopTable table;  ///< of the loops that have run
  Profile profile{listeners};
};

}  // namespace op2::core
