// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace bench {

/// Wall clock time of action().
template <class Action>
double milliseconds(Action&& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace bench
