// SPDX-License-Identifier: BSD-3-Clause
// Spans of work for OP2_TRACE, in the JSON format of Chrome's trace viewer, which Perfetto opens.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <core/measurements/listener.hpp>

namespace op2::core {

/// Thread safe. Keeps at most `capacity` spans, fewer if memory is short, and counts dropped ones.
/// Time zero is when it is made: at the same moment on all ranks.
class Trace : public Listener {
 public:
  static constexpr std::size_t capacity = 2'000'000;

  void span(const char* lane, std::string_view what, Clock::time_point begin,
            Clock::time_point end) override;
  void step_ran_on_device(const char* name, Clock::time_point begin, double seconds) override {
    span("device", name, begin, begin + clock_duration(seconds));
  }
  bool times_devices() const override { return true; }

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
  const Clock::time_point start_ = Clock::now();
  mutable std::mutex mutex_;
  std::vector<Span> spans_;
  std::size_t dropped_ = 0;
};

/// The whole trace from the events of one or more processes.
std::string trace_as_json(const std::vector<std::string>& events, std::size_t dropped);

}  // namespace op2::core
