// SPDX-License-Identifier: BSD-3-Clause
// A program whose error handler, which a unit for the library's C++ headers sets, is called with an
// error before the program ends.
#include "expect.h"

void set_handler();

int main(int argc, char** argv) {
  set_handler();
  op_init(argc, argv, 0);
  const Ring ring(4);
  int rank = 0;
  op_rank(&rank);
  if (rank == atoi(argv[1])) op_size_of_set("none");
  op_mpi_barrier();
  op_exit();
  return 0;
}
