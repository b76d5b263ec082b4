// SPDX-License-Identifier: BSD-3-Clause
#include "stream_loops.hpp"

namespace bench {

void copy_hand_written(int begin, int end, const double* __restrict a, double* __restrict b) {
  for (int k = begin; k < end; ++k) b[k] = a[k];
}

void triad_hand_written(int begin, int end, const double* __restrict a, const double* __restrict b,
                        double* __restrict c) {
  for (int k = begin; k < end; ++k) c[k] = a[k] + 3 * b[k];
}

void gather_hand_written(int begin, int end, const int* __restrict ends, const double* __restrict a,
                         double* __restrict c) {
  for (int k = begin; k < end; ++k) c[k] = a[ends[2 * k + 1]] - a[ends[2 * k]];
}

namespace {

inline void kick(double x, double& v) {
  v -= 0.01 * x;
}
inline void drift(double& x, double v) {
  x += 0.01 * v;
}

}  // namespace

void oscillate_by_loops(int begin, int end, double* __restrict x, double* __restrict v) {
  for (int half = 0; half < 2; ++half) {
    for (int k = begin; k < end; ++k) kick(x[k], v[k]);
    for (int k = begin; k < end; ++k) drift(x[k], v[k]);
  }
}

void oscillate_fused(int begin, int end, double* __restrict x, double* __restrict v) {
  for (int k = begin; k < end; ++k) {
    kick(x[k], v[k]);
    drift(x[k], v[k]);
    kick(x[k], v[k]);
    drift(x[k], v[k]);
  }
}

}  // namespace bench
