// SPDX-License-Identifier: BSD-3-Clause
// Calls that cannot be given a meaning: each ends the program with a message. The first argument
// says which.
#include "expect.h"

int main(int argc, char** argv) {
  op_init(argc, argv, 0);
  const Ring ring(4);
  op_arg arg = op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ);
  int indirect = -1;
  double wrong = 0;
  switch (atoi(argv[1])) {
    case 0:
      op_plan_get("loop", ring.cells, 0, 1, &arg, 0, &indirect);
      break;
    case 1:
      op_decl_dat_overlay(ring.cells, ring.number);
      break;
    case 2:
      op_decl_const(1, "int", &wrong);
      break;
    case 3:
      op_decl_dat(ring.cells, 1, "float", (double*)NULL, "wrong");
      break;
    default:
      op_disable_mpi_reductions(true);
      if (OP_disable_mpi_reductions) printf("OP2-E222 is for several ranks\n");
      exit(1);
  }
  return 0;
}
