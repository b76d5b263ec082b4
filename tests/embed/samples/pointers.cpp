// SPDX-License-Identifier: BSD-3-Clause
// Kernels with non-const pointers and references to variables of the program, which only read
// through them. Each runs twice in sources_test.cpp: as the function and as its source.
#include "op_seq.h"

int row_order[4] = {3, 2, 1, 0};
double heat_ratio = 1.4;
double table_of_pairs[2][3] = {{1, 2, 3}, {4, 5, 6}};
namespace flow {
double weights[3] = {0.5, 0.25, 2};
}

static double dot(double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1];
}
static double twice(double& x) {
  return 2 * x;
}
template <class T>
T last_of(T* values, int count) {
  T last = 0;
  for (T* each = values; each != values + count; ++each) last = *each;
  return last;
}

inline void by_pointer(const double* x, double* y) {
  int* at = row_order;
  y[0] = x[at[1]] + x[*at] + at[3];
}
inline void by_assignment(const double* x, double* y) {
  int *at, *other;
  if (x[0] > 1)
    other = at = row_order;
  else
    other = at = &row_order[2];
  at += 1;
  y[0] = *at++ + x[1];
  y[1] = (x[1] > 0 ? at : other)[0];
}
inline void by_helpers(const double* x, double* y) {
  y[0] = twice(heat_ratio) + dot(flow::weights, x);
  y[1] = last_of(table_of_pairs[1], 3) + last_of<int>(row_order, 3);
}
inline void by_reference(const double* x, double* y) {
  double& factor = heat_ratio;
  auto& row = table_of_pairs[0];
  for (double& value : row) y[0] += factor * value * x[0];
}
inline void by_row(const double* x, double* y) {
  double(*rows)[3] = table_of_pairs;
  y[0] = rows[1][2] * x[0] + sizeof(row_order);
}

void run_pointers(op_set set, op_arg x, op_arg y) {
  op_par_loop(by_pointer, "by_pointer", set, x, y);
  op_par_loop(by_assignment, "by_assignment", set, x, y);
  op_par_loop(by_helpers, "by_helpers", set, x, y);
  op_par_loop(by_reference, "by_reference", set, x, y);
  op_par_loop(by_row, "by_row", set, x, y);
}
