// SPDX-License-Identifier: BSD-3-Clause
// Kernels that keep the access modes that the calls of their loops give: no warning. What bodies
// may do is tested at run time (tests/unit/jit/access_findings_test.cpp), by the same analysis.
#include <algorithm>
#include <cmath>

#include "op_seq.h"

inline void writes(const double* x, double* y) {
  for (int i = 0; i < 2; ++i) y[i] = x[0] > 0 ? 1 : 2;
}
inline void unknown_loop(const double* x, double* y, const int* n) {
  for (int i = 0; i < *n; ++i) y[i] = x[0];
}
inline void adds(const double* x, double* y) {
  y[0] += x[0];
  y[1] = std::fma(2.0, x[0], y[1]) - x[1];
}
inline void reads_direct_increment(double* u, double* sum) {
  *u += 1;
  *sum += *u * *u;
}
inline void least(const double* x, double* low, double* high, int* where, const int* number) {
  if (*x < *low) {
    *low = *x;
    *where = *number;
  }
  *high = MAX(*high, *x);
}
inline void rows(const double** x, double** y) {
  for (int k = 0; k < 2; ++k)
    for (int d = 0; d < 3; ++d) y[k][d] = x[1 - k][d];
}
inline void optional(const double* x, double* y) {
  if (y != nullptr && x[0] > 0) y[0] = x[0];
}
inline void sets_global(const double* x, double* largest_seen) {
  if (x[0] > 5) *largest_seen = x[0];
}
inline void no_name(const double*, double* y) {
  y[0] = 1;
}
inline void no_number(const double* x, double* y, const int* number) {
  y[0] = x[0];
}
inline void any_below(const double* x, int* any) {
  if (*x < 0) *any = 1;
}
struct Pair {
  double a, b;
};
inline void structures(const Pair* x, Pair* y) {
  y->a = x->b;
}
inline void in_part(const double* x, double* y) {
  y[0] = x[0];
  if (x[0] > 0) y[1] = x[1];
}
inline void in_part_of_rows(const double* x, double** y) {
  y[0][0] = x[0];
  y[1][1] = x[0];
}
inline void any_of(const double* x, bool* found) {
  *found |= x[0] > 0;
}

void run(op_set set, op_dat d, op_map map, op_arg unknown, int flag, int dim) {
  bool found = false;
  double value = 0;
  int where = 0;
#define READ op_arg_dat(d, -1, OP_ID, 3, "double", OP_READ)
#define WRITE(n) op_arg_dat(d, -1, OP_ID, n, "double", OP_WRITE)
  op_par_loop(writes, "l", set, READ, WRITE(2));
  op_par_loop(writes, "l", set, unknown, unknown);
  op_par_loop(unknown_loop, "l", set, READ, WRITE(4), op_arg_gbl(&where, 1, "int", OP_READ));
  op_par_loop(unknown_loop, "l", set, READ, WRITE(dim), op_arg_idx(-1, OP_ID));
  op_par_loop(adds, "l", set, READ, op_arg_dat(d, 0, map, 4, "double", OP_INC));
  op_par_loop(reads_direct_increment, "l", set, op_arg_dat(d, -1, OP_ID, 1, "double", OP_INC),
              op_arg_gbl(&value, 1, "double", OP_INC));
  op_par_loop(least, "l", set, READ, op_arg_gbl(&value, 1, "double", OP_MIN),
              op_arg_gbl(&value, 1, "double", OP_MAX), op_arg_info(&where, 1, "int", 1),
              op_arg_idx(-1, OP_ID));
  op_par_loop(rows, "l", set, op_arg_dat(d, -2, map, 3, "double", OP_READ),
              op_arg_dat(d, -2, map, 3, "double", OP_WRITE));
  op_par_loop(optional, "l", set, READ, op_opt_arg_dat(flag, d, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(structures, "l", set, op_arg_dat(d, -1, OP_ID, 1, "pair", OP_READ),
              op_arg_dat(d, -1, OP_ID, 1, "pair", OP_WRITE));
  op_par_loop(sets_global, "l", set, READ, op_arg_gbl(&value, 1, "double", OP_WRITE));
  op_par_loop(no_name, "l", set, READ, WRITE(1));
  op_par_loop(no_number, "l", set, READ, WRITE(1), op_arg_idx(-1, OP_ID));
  op_par_loop(no_number, "l", set, READ, WRITE(1), op_arg_idx(0, map));
  op_par_loop(any_below, "l", set, READ, op_arg_gbl(&where, 1, "int", OP_MAX));
  op_par_loop(in_part, "l", set, READ, op_arg_dat(d, 0, map, 4, "double", OP_WRITE));
  op_par_loop(in_part_of_rows, "l", set, READ, op_arg_dat(d, -2, map, 2, "double", OP_WRITE));
  op_par_loop(any_of, "l", set, READ, op_arg_gbl(&found, 1, "bool", OP_INC));
}
