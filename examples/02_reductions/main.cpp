// SPDX-License-Identifier: BSD-3-Clause
// Lesson 2: sums and maxima over a mesh, two kinds of reductions. For one rank; see lesson 4.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include <op2/op2.hpp>

OP_KERNEL(halve, (double* value), { *value *= 0.5; });

OP_KERNEL(measure, (const double* value, double* sum, double* largest), {
  *sum += *value;
  *largest = *value > *largest ? *value : *largest;
});

void run() {
  const std::vector<double> values{8, 16, 24, 32};
  const op_set cells = op_decl_set(4, "cells");
  const op_dat value = op_decl_dat(cells, 1, values, "value");

  // Raw: the result is in a variable of this program when op_par_loop returns. So all loops queued
  // before are executed, too.
  double sum = 0, largest = 0;
  op_par_loop(halve, "halve", cells, op_arg_dat(value, OP_RW));
  op_par_loop(measure, "measure", cells,
              op_arg_dat(value, OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC),
              op_arg_gbl(&largest, 1, "double", OP_MAX));
  op_printf("raw:  sum %g, largest %g\n", sum, largest);

  // Lazy: the library owns the result. Setting and reducing it are queued like loops; only fetching
  // it executes them. A time loop that fetches its residual in few iterations is one chain.
  const double zero = 0;
  const op_global lazy_sum = op_decl_global(1, &zero, "sum");
  const op_global lazy_largest = op_decl_global(1, &zero, "largest");
  for (int step = 0; step < 3; ++step) {
    op_set_global(lazy_sum, &zero);
    op_set_global(lazy_largest, &zero);
    op_par_loop(halve, "halve", cells, op_arg_dat(value, OP_RW));
    op_par_loop(measure, "measure", cells,
                op_arg_dat(value, OP_READ),
                op_arg_gbl(lazy_sum, OP_INC),
                op_arg_gbl(lazy_largest, OP_MAX));
  }
  op_fetch_global(lazy_sum, &sum);
  op_fetch_global(lazy_largest, &largest);
  op_printf("lazy: sum %g, largest %g\n", sum, largest);
}

int main(int argc, char** argv) {
  try {
    op_init(argc, argv);
    run();
    op_exit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
