// SPDX-License-Identifier: BSD-3-Clause
// Kernels that keep their access modes, or for which that is undecidable: no warning.
#include <algorithm>
#include <cmath>

#include "op_seq.h"

inline void both_branches(const double* x, double* y) {
  if (x[0] > 0)
    y[0] = 1;
  else
    y[0] = -1;
  y[1] = x[0] > 0 ? 1 : 2;
}
inline void loops(const double* x, double* y) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) y[2 * i + j] = x[0];
  int k = 4;
  while (k < 6) y[k++] = 0;
}
static void fill(double* p, int n) {
  for (int i = 0; i < n; ++i) p[i] = 0;
}
static inline void set(double& v) {
  v = 1;
}
inline void helpers(const double* x, double* y) {
  fill(y, 2);
  set(y[2]);
  double* rest = y + 3;
  *rest = x[0];
  double& last = y[4];
  last = std::max(x[0], y[0]);
}
inline void writes_then_reads(const double* x, double* y) {
  y[0] = x[0];
  y[0] += y[0] * 2;
}
inline void unknown_loop(const double* x, double* y, const int* n) {
  for (int i = 0; i < *n; ++i) y[i] = x[0];
}
inline void adds(const double* x, double* y) {
  y[0] += x[0];
  y[1] -= x[0];
  ++y[2];
  y[3] = y[3] + x[0] - 2 * x[1];
  y[3] = x[0] + y[3];
  y[3] = std::fma(2.0, x[0], y[3]) - x[1];
  y[2] = fma(x[0], x[1], y[2] + 1);
  if (x[0] > 0) y[0] += 1;
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
inline void on_purpose(const double* x, double* y) {
  (void)x;
  y[0] = 1;
}
inline void constant_condition(const double* x, double* y) {
  constexpr bool wide = false;
  if (wide) y[7] = 1;
  for (int i = 0; i < 3; ++i) {
    if (i == 2) y[0] = x[i];
  }
}
inline void escapes(const double* x, double* y) {
  auto write = [&](int i) { y[i] = x[i]; };
  write(0);
}
inline void choice(const int* x, double* y) {
  switch (*x) {
    case 1:
      y[0] = 1;
      break;
    default:
      y[0] = 2;
  }
}
inline void walks(const double* x, double* y) {
  *y++ = *x++;
  *y = *x;
}
inline void ends(const double* x, double* y) {
  for (const double* p = x; p != x + 3; ++p) y[0] = *p;
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
inline void chained(const double* x, double* y) {
  int i, j = i = 1;
  y[0] = y[i] = y[++j] = x[0];
  double* p;
  double* q = p = y + 3;
  *p = *q = 0;
}
inline void any_below(const double* x, int* any) {
  if (*x < 0) *any = 1;
}
inline void two_conditions(const double* x, double* y) {
  if (x[0] > 0) y[0] = 1;
  if (!(x[0] > 0)) y[0] = 2;
}
inline void number_elsewhere(const double* x, double* y) {
  int n = 0;
  int* p = &n;
  *p = 2;
  for (int i = 0; i < n; ++i) y[i] = x[i];
}
inline void number_in_index(const double* x, double* y) {
  int n = 0;
  y[n++] = x[0];
  if (n == 1) y[1] = x[1];
}
inline void moved_pointer(const double* x, double* y) {
  y += 1;
  y[-1] = y[0] = x[0];
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
inline void without_number(const double* x, const int* number, double* y) {
  y[0] = x[0];
}
inline void any_of(const double* x, bool* found) {
  *found |= x[0] > 0;
}

void run(op_set set, op_dat d, op_map map, op_arg unknown, int flag, int dim) {
  bool found = false;
  double value = 0;
  int where = 0;
  const op_arg read = op_arg_dat(d, -1, OP_ID, 3, "double", OP_READ);
  (void)read;
#define READ op_arg_dat(d, -1, OP_ID, 3, "double", OP_READ)
#define WRITE(n) op_arg_dat(d, -1, OP_ID, n, "double", OP_WRITE)
  op_par_loop(both_branches, "l", set, READ, WRITE(2));
  op_par_loop(loops, "l", set, READ, WRITE(6));
  op_par_loop(helpers, "l", set, READ, WRITE(5));
  op_par_loop(writes_then_reads, "l", set, READ, WRITE(1));
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
  op_par_loop(on_purpose, "l", set, READ, WRITE(1));
  op_par_loop(constant_condition, "l", set, READ, WRITE(1));
  op_par_loop(escapes, "l", set, READ, WRITE(3));
  op_par_loop(choice, "l", set, op_arg_idx(0, map), WRITE(1));
  op_par_loop(walks, "l", set, READ, WRITE(2));
  op_par_loop(ends, "l", set, READ, WRITE(1));
  op_par_loop(structures, "l", set, op_arg_dat(d, -1, OP_ID, 1, "pair", OP_READ),
              op_arg_dat(d, -1, OP_ID, 1, "pair", OP_WRITE));
  op_par_loop(sets_global, "l", set, READ, op_arg_gbl(&value, 1, "double", OP_WRITE));
  op_par_loop(no_name, "l", set, READ, WRITE(1));
  op_par_loop(no_number, "l", set, READ, WRITE(1), op_arg_idx(-1, OP_ID));
  op_par_loop(chained, "l", set, READ, WRITE(4));
  op_par_loop(any_below, "l", set, READ, op_arg_gbl(&where, 1, "int", OP_MAX));
  op_par_loop(two_conditions, "l", set, READ, WRITE(1));
  op_par_loop(number_elsewhere, "l", set, READ, WRITE(2));
  op_par_loop(number_in_index, "l", set, READ, WRITE(2));
  op_par_loop(moved_pointer, "l", set, READ, WRITE(2));
  op_par_loop(in_part, "l", set, READ, op_arg_dat(d, 0, map, 4, "double", OP_WRITE));
  op_par_loop(in_part_of_rows, "l", set, READ, op_arg_dat(d, -2, map, 2, "double", OP_WRITE));
  op_par_loop(without_number, "l", set, READ, op_arg_idx(0, map), WRITE(1));
  op_par_loop(any_of, "l", set, READ, op_arg_gbl(&found, 1, "bool", OP_INC));
  op_par_loop(both_branches, "l", set, unknown, unknown);
}
