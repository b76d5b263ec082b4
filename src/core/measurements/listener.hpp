// SPDX-License-Identifier: BSD-3-Clause
// What happens in a session, for everything that observes it: checks of values, traces, tools,
// records of a run. A new observation is a class with some of these functions, and a row in
// api/listeners/listeners.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <op2/par_loop.hpp>

#include <core/clock.hpp>

namespace op2::core {

struct Dat;
struct Global;
struct LoopRow;
struct Map;
class Queue;
struct RecordedPartition;
struct Set;
enum class Way;

/// What the program's thread does.
enum class Part {
  program,       ///< the program itself, with what no other part has
  start,         ///< op_init
  declarations,  ///< sets, maps and dats
  partition,     ///< op_partition
  files,         ///< meshes, results and checkpoints
  results,       ///< fetching dats and globals
  loops,         ///< executing loops, as all that follow, without these:
  plans,         ///< analysis, halos, schedules
  code,          ///< waiting for code: the compiler, the cache, other ranks
  packing,       ///< filling and sending messages
  messages,      ///< waiting for messages, and unpacking them
  reductions     ///< combining globals of the ranks, and waiting for them
};
inline constexpr std::size_t parts = static_cast<std::size_t>(Part::reductions) + 1;
const char* name_of(Part part);

/// The events of a session, in the order in which they happen. All come from the program's thread,
/// except `span`. Those marked collective come on all ranks, which may communicate then and throw
/// Error; the others are local and must not throw.
class Listener {
 public:
  virtual ~Listener() = default;

  /// A loop is called; its arguments were checked. It is queued afterwards. Collective.
  virtual void loop_called(const op_loop_name&, std::span<const op_arg>) {}
  /// The call returns. @param forced  the loop has run, since it reduces variables. Collective.
  virtual void loop_returns(const op_loop_name&, std::span<const op_arg>, bool /*forced*/) {}

  /// A set, a map (its entries are still as declared) or a dat was declared. Collective.
  virtual void declared(const Set&) {}
  virtual void declared(const Map&) {}
  virtual void declared(const Dat&) {}
  /// The program gets the values of a dat, which no queued loop modifies, or of a global.
  /// Collective.
  virtual void fetched(const Dat&) {}
  virtual void fetched(const Global&) {}
  /// The mesh was partitioned.
  virtual void partitioned(const RecordedPartition&) {}
  /// The host's copies of all dats were made current.
  virtual void dats_downloaded() {}

  /// Queued loops are to be executed; they have been, without an error. Collective.
  virtual void flush_begins() {}
  virtual void flush_ends() {}
  /// A plan was made. @param queue  with the access that plans count with, and a record for each
  /// colour. @param plan  its number
  virtual void planned(const Queue&, std::int64_t /*plan*/) {}
  /// A plan was executed. @param loop_seconds  that its steps took
  virtual void executed(std::int64_t /*plan*/, double /*loop_seconds*/) {}

  /// The program's thread begins and ends work of a part. Nested.
  virtual void part_begins(Part) {}
  virtual void part_ends(Part) {}
  /// A region of the program begins and ends. Nested.
  virtual void region_begins(const char*) {}
  virtual void region_ends(const char*) {}
  /// Iterations of a loop, of loops that were fused ("a+b"), or of several in tiles ("tiles"),
  /// begin and end on the CPU.
  virtual void step_begins(const char*) {}
  virtual void step_ends(const char*) {}
  /// What iterations of a row took on the CPU. @param iterations  0: a further colour of a loop,
  /// whose iterations count with the first one
  virtual void step_timed(const LoopRow&, Way, std::int64_t /*iterations*/, double /*seconds*/) {}
  /// Loops ran on a device, which the host has waited for.
  virtual void step_ran_on_device(const char*, Clock::time_point /*begin*/, double /*seconds*/) {}
  /// Whether a device is to be waited for after each step, so that there are such events.
  virtual bool times_devices() const { return false; }

  /// Work from `begin` to `end`. @param lane  a row of a display: "loop", "plan", "compile", ...
  /// From any thread.
  virtual void span(const char* /*lane*/, std::string_view /*what*/, Clock::time_point /*begin*/,
                    Clock::time_point /*end*/) {}

  /// op_exit: all loops have run on all ranks. Not called after an error. Collective.
  virtual void session_completes() {}
  /// op_exit, also after an error: what was heard can be written. Collective.
  virtual void session_ends() {}
};

/// In the order in which they hear of an event.
using Listeners = std::vector<std::unique_ptr<Listener>>;

/// Tells of a span that ends now.
inline void report_span(const Listeners& listeners, const char* lane, std::string_view what,
                        Clock::time_point begin) {
  if (listeners.empty()) return;
  const auto end = Clock::now();
  for (const auto& listener : listeners) listener->span(lane, what, begin, end);
}

/// A step on the CPU, for the life of the object.
class StepEvent {
 public:
  StepEvent(const Listeners& listeners, const char* name) : listeners_(listeners), name_(name) {
    for (const auto& listener : listeners_) listener->step_begins(name_);
  }
  ~StepEvent() {
    for (const auto& listener : listeners_) listener->step_ends(name_);
  }
  StepEvent(const StepEvent&) = delete;
  StepEvent& operator=(const StepEvent&) = delete;

 private:
  const Listeners& listeners_;
  const char* name_;
};

}  // namespace op2::core
