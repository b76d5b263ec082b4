// SPDX-License-Identifier: BSD-3-Clause
// A program that runs one compiled kernel and prints its result. The exit code is 3 after an error,
// which is printed.
#include <cstdio>
#include <exception>
#include <vector>

#include <op2/op2.hpp>

namespace {

OP_KERNEL(twice, (const double* x, double* y), { *y = 2 * *x; });

void run() {
  const std::vector<double> ones(100, 1.0);
  const op_set cells = op_decl_set(100, "cells");
  const op_dat x = op_decl_dat<double>(cells, 1, ones.data(), "x");
  const op_dat y = op_decl_dat<double>(cells, 1, nullptr, "y");
  op_par_loop(twice, "twice", cells, op_arg_dat(x, OP_READ), op_arg_dat(y, OP_WRITE));
  std::vector<double> values(100);
  op_fetch_data(y, values.data());
  std::printf("the last value is %g\n", values.back());
}

}  // namespace

int main(int count, char** words) {
  try {
    op_init(count, words);
    run();
    op_exit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "caught: %s\n", error.what());
    return 3;
  }
  return 0;
}
