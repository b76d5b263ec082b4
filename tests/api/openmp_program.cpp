// SPDX-License-Identifier: BSD-3-Clause
// A program with OpenMP's runtime, which may bind the main thread before op_init. It says how many
// processors this thread may use, and the last of them. With an argument it first binds the thread
// to this processor, as MPI libraries do.
#include <cstdio>
#include <cstdlib>

#include <omp.h>
#include <sched.h>

#include <op2/op2.hpp>

int main(int count, char** words) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int k = 0; k < 4; ++k) sum += k;
  cpu_set_t set;
  if (count > 1) {
    CPU_ZERO(&set);
    CPU_SET(std::atoi(words[1]), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) return 2;
  }
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 2;
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &set)) --last;
  std::fprintf(stderr, "may use %d, the last is %d\n", CPU_COUNT(&set), last);
  op_init(0, nullptr, 0);
  op_exit();
  return sum == 6 ? 0 : 1;
}
