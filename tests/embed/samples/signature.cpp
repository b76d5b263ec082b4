// SPDX-License-Identifier: BSD-3-Clause
// Kernels that do not fit their arguments: access.py expects errors on the lines that say so.
#include "op_seq.h"

// clang-format off
inline void single(const float* x,  // fails: argument 0 (OP_READ): kernel 'single' takes it as 'const float *', but its type is "double:soa"
                   double* y) { y[0] = x[0]; }
inline void flat(const double* x,  // fails: argument 0 (OP_READ): kernel 'flat' takes it as 'const double *', but it is a vector argument
                 double* y) { y[0] = x[0]; }
inline void rows(const double** x,  // fails: argument 0 (OP_READ): kernel 'rows' takes it as 'const double **', but it is no vector argument
                 double* y) { y[0] = x[0][0]; }
inline void number(const double* x,  // fails: argument 0 (OP_READ): kernel 'number' takes it as 'const double *', but its type is "int"
                   double* y) { y[0] = x[0]; }
inline void wide(const long* x, double* y) { y[0] = x[0]; }

void run(op_set set, op_dat d, op_map map, op_arg any) {
  op_par_loop(single, "l", set, op_arg_dat(d, -1, OP_ID, 1, "double:soa", OP_READ), any);
  op_par_loop(flat, "l", set, op_arg_dat(d, -3, map, 1, "double", OP_READ), any);
  op_par_loop(rows, "l", set, op_arg_dat(d, 1, map, 1, "double", OP_READ), any);
  op_par_loop(number, "l", set, op_arg_idx(-1, OP_ID), any);
  op_par_loop(wide, "l", set, op_arg_dat(d, 1, map, 1, "ll", OP_READ), any);
}
