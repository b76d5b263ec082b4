// SPDX-License-Identifier: BSD-3-Clause
// Not valid C++: the compiler reports that. Kernels before the error have their source all the same.
#include "op_seq.h"

inline void whole(const double* x, double* y) {
  y[0] = x[0];
}
inline void half(const double* x, double* y) {
  y[0] = undeclared;
}

void run(op_set set, op_arg x) {
  op_par_loop(whole, "whole", set, x, x);
  op_par_loop(half, "half", set, x, x);
}
