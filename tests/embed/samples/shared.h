// SPDX-License-Identifier: BSD-3-Clause
// A kernel that two units share.
#pragma once

inline void shared(const double* x, double* y) {
  y[0] = x[0] + 100;
}
