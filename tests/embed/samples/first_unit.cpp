// SPDX-License-Identifier: BSD-3-Clause
// Together with second_unit.cpp: equal names, different kernels.
#include "op_seq.h"
#include "shared.h"

double factor = 2;
static void work(const double* x, double* y) {
  y[0] = factor * x[0];
}
namespace {
void hidden(const double* x, double* y) {
  y[0] = x[0] + 1;
}
}  // namespace

void run_first(op_set set, op_arg x) {
  op_par_loop(work, "work", set, x, x);
  op_par_loop(hidden, "hidden", set, x, x);
  op_par_loop(shared, "shared", set, x, x);
}
