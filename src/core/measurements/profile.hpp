// SPDX-License-Identifier: BSD-3-Clause
// Where the wall clock time of a session goes. Of this rank: every moment of the program's thread
// counts in one part, so that the parts add up to the whole, and in the regions that are open. Of
// all ranks: rows below the per-loop table, with the memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

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

struct PartRow {
  std::string part;
  std::int64_t entries = 0;  ///< the most of a rank
  Spread seconds;
};

struct RegionRow {
  std::string region;
  std::int64_t calls = 0, loops = 0;  ///< the most of a rank
  Spread seconds, executing, loop_seconds;
};

/// Of a rank.
struct MemoryUse {
  std::string what;
  double bytes = 0;
};

struct MemoryRow {
  std::string memory;
  Spread bytes;
};

/// Of a table that is not made by a session: empty.
struct RunTimes {
  bool compared = false;  ///< there are several ranks
  Spread wall;
  std::vector<PartRow> parts;  ///< those that any rank has entered; means add up to that of `wall`
  std::vector<RegionRow> regions;  ///< with the regions inside; the outer one first
  std::vector<MemoryRow> memory;
};

/// What a rank sends to the one that makes the table.
std::string times_of_rank(Profile& profile, std::span<const MemoryUse> memory);
/// @param texts  of all ranks
RunTimes times_of_run(std::span<const std::string> texts);

std::string times_as_text(const RunTimes& times);
/// Adds fields to the table.
void put_times(const RunTimes& times, nlohmann::json& table);

}  // namespace op2::core
