// SPDX-License-Identifier: BSD-3-Clause
// Does not compile: a kernel with too many parameters (MISFIT 0), and one with a number as
// parameter (1).
#include "op_seq.h"

inline void two(const double* x, double* y) {
  y[0] = x[0];
}
inline void value(double x, double* y) {
  y[0] = x;
}

void run(op_set set, op_arg any) {
#if MISFIT == 0
  op_par_loop(two, "two", set, any);
#else
  op_par_loop(value, "value", set, any, any);
#endif
}
