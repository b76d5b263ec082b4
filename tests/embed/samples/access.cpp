// SPDX-License-Identifier: BSD-3-Clause
// Kernels that violate an access mode. marks.py expects exactly one warning on each line with a
// comment `// warns:`, with the message given there, and none on other lines.
#include <algorithm>
#include <cmath>

#include "op_seq.h"

// clang-format off
inline void writes_read(double* x, double* y) {
  x[0] = 1;  // warns: argument 0 (OP_READ): kernel 'writes_read' writes it
  y[0] = 2;
}
inline void helper_that_writes(double* p) { p[1] = 0; }  // warns: argument 0 (OP_READ): kernel 'writes_through' writes it
inline void writes_through(double* x, double* y) { helper_that_writes(x); y[0] = x[0]; }
inline void adds_to_write(const double* x, double* y) {
  y[0] += x[0];  // warns: argument 1 (OP_WRITE): kernel 'adds_to_write' reads it before writing it
  y[1] = 0;
}
inline void in_part(const double* x, double* y) {
  for (int i = 0; i < 3; ++i) y[i] = x[i];  // warns: argument 1 (OP_WRITE): kernel 'in_part' writes only 3 of its 4 values
}
inline void never(const double* x,
                  double* y) {  // warns: argument 1 (OP_WRITE): kernel 'never' does not write it
  if (x[0] < 0 && y == nullptr) return;
}
inline void assigns(const double* x, double* y) {
  y[0] += x[0];
  y[1] = x[1];  // warns: argument 1 (OP_INC): kernel 'assigns' assigns to it instead of adding
}
inline void reads_increment(const double* x, double* y) {
  if (y[0] < 5)  // warns: argument 1 (OP_INC): kernel 'reads_increment' reads it
    y[0] += x[0];
}
inline void beyond(const double* x, double* y) {
  y[0] = x[3];  // warns: argument 0 (OP_READ): kernel 'beyond' uses index 3, but its dimension is 3
}
inline void beyond_rows(const double** x, double* y) {
  y[0] = x[2][0];  // warns: argument 0 (OP_READ): kernel 'beyond_rows' uses index 2 of 2 x 3 values
}
inline void surely_beyond(const double* x, double* y) {
  y[0] = x[3];  // fails: argument 0 (OP_READ): kernel 'surely_beyond' uses index 3, but its dimension is 3
}
inline void perhaps_beyond(const double* x, double* y) {
  y[0] = x[0] > 0 ? x[3] : 0;  // warns: argument 0 (OP_READ): kernel 'perhaps_beyond' uses index 3
}
inline void unused(const double* x,  // warns: argument 0 (OP_READ): kernel 'unused' does not use it
                   double* y) { y[0] = 1; }
inline void not_least(const double* x, double* low) {
  *low = *x;  // warns: argument 1 (OP_MIN): kernel 'not_least' assigns to it without comparing
}
template <class T, int n>
void general(const T* x, T* y) {
  for (int i = 1; i < n; ++i) y[i] = x[i];  // warns: argument 1 (OP_WRITE): kernel 'general' writes only 1 of its 2 values
}
// clang-format on

void run(op_set set, op_dat d, op_map map) {
  const op_arg unknown = op_arg_dat(d, -1, OP_ID, 1, "double", OP_READ);
  double sum = 0;
  op_par_loop(writes_read, "l", set, op_arg_dat(d, -1, OP_ID, 2, "double", OP_READ), unknown);
  op_par_loop(writes_through, "l", set, op_arg_dat(d, -1, OP_ID, 2, "double", OP_READ), unknown);
  op_par_loop(adds_to_write, "l", set, unknown, op_arg_dat(d, 0, map, 2, "double", OP_WRITE));
  op_par_loop(in_part, "l", set, unknown, op_arg_dat(d, -1, OP_ID, 4, "double", OP_WRITE));
  op_par_loop(never, "l", set, unknown, op_arg_dat(d, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(assigns, "l", set, unknown, op_arg_dat(d, -1, OP_ID, 2, "double", OP_INC));
  op_par_loop(reads_increment, "l", set, unknown, op_arg_dat(d, 0, map, 1, "double", OP_INC));
  op_par_loop(beyond, "l", set, op_arg_dat(d, -1, OP_ID, 3, "double", OP_READ), unknown);
  op_par_loop(beyond_rows, "l", set, op_arg_dat(d, -2, map, 3, "double", OP_READ), unknown);
  const op_dat three = op_decl_dat(set, 3, "double", static_cast<double*>(nullptr), "three");
  op_par_loop(surely_beyond, "l", set, op_arg_dat(three, -1, OP_ID, 3, "double", OP_READ), unknown);
  op_par_loop(perhaps_beyond, "l", set, op_arg_dat(three, -1, OP_ID, 3, "double", OP_READ),
              unknown);
  op_par_loop(unused, "l", set, op_arg_dat(d, -1, OP_ID, 3, "double", OP_READ), unknown);
  op_par_loop(not_least, "l", set, unknown, op_arg_gbl(&sum, 1, "double", OP_MIN));
  op_par_loop(general<double, 2>, "l", set, unknown,
              op_arg_dat(d, -1, OP_ID, 2, "double", OP_WRITE));
}
