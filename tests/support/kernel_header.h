// SPDX-License-Identifier: BSD-3-Clause
// What kernels of tests share with the program, by OP2_KERNEL_HEADER.
#pragma once

#include <cmath>

namespace flow {

enum class Side { left, right };

struct State {
  double density, momentum;
};

constexpr double limit = 0.25;

inline double speed(const State& state) {
  return std::fabs(state.momentum) / state.density;
}

}  // namespace flow
