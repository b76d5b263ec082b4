// SPDX-License-Identifier: BSD-3-Clause
// <stdlib.h> for kernels.
#pragma once

extern "C" int abs(int) noexcept;
inline long abs(long x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline double abs(double x) { return __builtin_fabs(x); }
inline float abs(float x) { return __builtin_fabsf(x); }
namespace std {
using ::abs;
}
