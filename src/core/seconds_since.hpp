// SPDX-License-Identifier: BSD-3-Clause
// Wall clock time that has passed.
#pragma once

#include <chrono>

#include <core/trace.hpp>

namespace op2::core {

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace op2::core
