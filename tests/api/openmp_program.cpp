// SPDX-License-Identifier: BSD-3-Clause
// A program with OpenMP's runtime, which may bind the main thread before op_init.
#include <cstdio>

#include <omp.h>

#include <op2/op2.hpp>

int main() {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int k = 0; k < 4; ++k) sum += k;
  op_init(0, nullptr, 0);
  op_exit();
  return sum == 6 ? 0 : 1;
}
