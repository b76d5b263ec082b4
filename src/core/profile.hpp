// SPDX-License-Identifier: BSD-3-Clause
// Where the wall clock time of a session goes, of this rank: every moment of the program's thread
// counts in one part, so that the parts add up to the whole; and in the regions that are open.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <core/seconds_since.hpp>
#include <core/tools.hpp>
#include <core/trace.hpp>

namespace op2::core {

/// What the program's thread does.
enum class Part {
  program,       ///< the program itself, with what no other part has
  start,         ///< op_init
  declarations,  ///< sets, maps and dats
  partition,     ///< op_partition
  files,         ///< meshes, results and checkpoints
  results,       ///< fetching dats and globals
  loops,         ///< executing loops, without:
  plans,         ///< analysis, halos, schedules
  code,          ///< waiting for code: the compiler, the cache, other ranks
  packing,       ///< filling and sending messages
  messages,      ///< waiting for messages, and unpacking them
  reductions     ///< combining globals of the ranks, and waiting for them
};
inline constexpr std::size_t parts = 12;
const char* name_of(Part part);

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

  /// Begins with Part::start. Both outlive it.
  Profile(Trace& trace, const Tools& tools);

  /// @return the part that was left
  Part enter(Part part) { return enter(part, Clock::now()); }
  Part enter(Part part, Clock::time_point now) {
    at(part_).seconds += seconds_between(since_, now);
    since_ = now;
    return std::exchange(part_, part);
  }
  void count(Part part) { ++at(part).entries; }
  const Tools* tools() const { return tools_.any() ? &tools_ : nullptr; }

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

  Trace& trace_;
  const Tools& tools_;
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
    if (const Tools* tools = profile_->tools()) tools->begin_part(name_of(part_));
  }
  ~InPart() {
    if (profile_ != nullptr) leave(Clock::now());
  }
  InPart(const InPart&) = delete;
  InPart& operator=(const InPart&) = delete;

  /// Before the end of the scope, as above.
  void leave(Clock::time_point now) {
    if (profile_ == nullptr) return;
    if (const Tools* tools = profile_->tools()) tools->end_part(name_of(part_));
    std::exchange(profile_, nullptr)->enter(outer_, now);
  }

 private:
  Profile* profile_;  ///< null, too, after `leave`
  Part part_, outer_ = Part::program;
};

/// Tells tools of a loop.
class LoopEvent {
 public:
  LoopEvent(const Tools* tools, const char* name) : tools_(tools), name_(name) {
    if (tools_ != nullptr) tools_->begin_loop(name_);
  }
  ~LoopEvent() {
    if (tools_ != nullptr) tools_->end_loop(name_);
  }
  LoopEvent(const LoopEvent&) = delete;
  LoopEvent& operator=(const LoopEvent&) = delete;

 private:
  const Tools* tools_;  ///< null: none
  const char* name_;
};

}  // namespace op2::core
