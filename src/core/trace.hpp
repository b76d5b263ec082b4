// SPDX-License-Identifier: BSD-3-Clause
// Spans of work for OP2_TRACE, in the JSON format of Chrome's trace viewer, which Perfetto opens.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace op2::core {

using Clock = std::chrono::steady_clock;

/// Thread safe. Keeps at most `capacity` spans, fewer if memory is short, and counts dropped ones.
class Trace {
 public:
  static constexpr std::size_t capacity = 2'000'000;

  explicit Trace(bool on) : on_(on), start_(Clock::now()) {}
  bool on() const { return on_; }
  /// @param lane  "loops", "compile", ...: a row of the display
  void add(const char* lane, const std::string& what, Clock::time_point begin,
           Clock::time_point end) noexcept;
  /// Sets time zero: to be called at the same moment on all ranks.
  void restart() { start_ = Clock::now(); }
  /// The spans as items of a JSON array, separated by commas, as events of one process.
  /// @param process  its number, e.g. the rank
  std::string events(int process) const;
  std::size_t dropped() const;

 private:
  struct Span {
    const char* lane;
    std::string what;
    double begin, duration;  ///< microseconds since the start
    int thread;
  };
  bool on_;
  Clock::time_point start_;
  mutable std::mutex mutex_;
  std::vector<Span> spans_;
  std::size_t dropped_ = 0;
};

/// The whole trace from the events of one or more processes.
std::string trace_as_json(const std::vector<std::string>& events, std::size_t dropped);

}  // namespace op2::core
