// SPDX-License-Identifier: BSD-3-Clause
// The wall clock, and time that has passed.
#pragma once

#include <chrono>

namespace op2::core {

using Clock = std::chrono::steady_clock;

inline double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

inline double seconds_since(Clock::time_point begin) {
  return seconds_between(begin, Clock::now());
}

/// The nearest duration of the clock.
inline Clock::duration clock_duration(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace op2::core
