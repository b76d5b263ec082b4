// SPDX-License-Identifier: BSD-3-Clause
// Kernels that do not match their arguments: marks.py expects errors and warnings on the marked
// lines.
#include "op_seq.h"

// clang-format off
inline void single(const float* x,  // warns: argument 0 (OP_READ): kernel 'single' takes it as 'const float *', but its type is "double:soa"
                   double* y) { y[0] = x[0]; }
inline void flat(const double* x,  // fails: argument 0 (OP_READ): kernel 'flat' takes it as 'const double *', but it is a vector argument
                 double* y) { y[0] = x[0]; }
inline void rows(const double** x,  // fails: argument 0 (OP_READ): kernel 'rows' takes it as 'const double **', but it is not a vector argument
                 double* y) { y[0] = x[0][0]; }
inline void number(const double* x,  // fails: argument 0 (OP_READ): kernel 'number' takes it as 'const double *', but its type is "int"
                   double* y) { y[0] = x[0]; }
inline void known(const float* x,  // fails: argument 0 (OP_READ): kernel 'known' takes it as 'const float *', but its type is "double"
                  double* y) { y[0] = x[0]; }
inline void perhaps(const float* x,  // warns: argument 0 (OP_READ): kernel 'perhaps' takes it as 'const float *', but its type is "double"
                    double* y) { y[0] = x[0]; }
inline void of_global(const float* x,  // fails: argument 0 (OP_READ): kernel 'of_global' takes it as 'const float *', but its type is "double"
                      double* y) { y[0] = x[0]; }
inline void bytes(const long long* x,  // warns: argument 0 (OP_READ): kernel 'bytes' takes it as 'const long long *', but its type is "int"
                  double* y) { y[0] = x[1]; }
inline void wide(const long* x, double* y) { y[0] = x[0]; }

void run(op_set set, op_dat d, op_map map, op_arg any) {
  op_par_loop(single, "l", set, op_arg_dat(d, -1, OP_ID, 1, "double:soa", OP_READ), any);
  op_par_loop(flat, "l", set, op_arg_dat(d, -3, map, 1, "double", OP_READ), any);
  op_par_loop(rows, "l", set, op_arg_dat(d, 1, map, 1, "double", OP_READ), any);
  op_par_loop(number, "l", set, op_arg_idx(-1, OP_ID), any);
  const op_dat of_doubles = op_decl_dat(set, 1, "double", static_cast<double*>(nullptr), "a");
  op_dat changing = op_decl_dat(set, 1, "double", static_cast<double*>(nullptr), "b");
  changing = d;
  const op_dat of_bytes = op_decl_dat_char(set, 1, "int", 8, nullptr, "c");
  double value = 0;
  op_par_loop(known, "l", set, op_arg_dat(of_doubles, -1, OP_ID, 1, "double", OP_READ), any);
  op_par_loop(perhaps, "l", set, op_arg_dat(changing, -1, OP_ID, 1, "double", OP_READ), any);
  op_par_loop(of_global, "l", set, op_arg_gbl(&value, 1, "double", OP_READ), any);
  op_par_loop(bytes, "l", set, op_arg_dat(of_bytes, -1, OP_ID, 1, "int", OP_READ), any);
  op_par_loop(wide, "l", set, op_arg_dat(d, 1, map, 1, "ll", OP_READ), any);
}
