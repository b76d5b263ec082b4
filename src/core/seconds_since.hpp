// SPDX-License-Identifier: BSD-3-Clause
// Wall clock time that has passed.
#pragma once

#include <chrono>

#include <core/trace.hpp>

namespace op2::core {

inline double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

inline double seconds_since(Clock::time_point begin) {
  return seconds_between(begin, Clock::now());
}

}  // namespace op2::core
