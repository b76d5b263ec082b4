// SPDX-License-Identifier: BSD-3-Clause
// Calls that cannot be given a meaning: each ends the program with a message. The first argument
// says which.
#include "expect.h"

namespace {

void store(const double* value, double* own) {
  *own = *value;
}

/// Writes row 0 and row `row`.
void scatter(int row, op_dat dat, int column, op_map map) {
  op_buff values = op_create_buff("values", "double", 2, 1);
  op_buff rows = op_create_buff("rows", "int", 2, 1);
  ((int*)rows->data)[1] = row;
  op_par_scatter(values, rows, store, "store", op_arg_dat(dat, column, map, 1, "double", OP_RW));
}

}  // namespace

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
    case 5: {
      int pairs[] = {0, 1, 2, 3, 4, 3, 2, 1};
      check_map("pairs", ring.edges, ring.cells, 2, pairs);
      break;
    }
    case 6:
      scatter(4, ring.number, 0, OP_ID);
      break;
    case 7:
      scatter(3, ring.number, 1, OP_ID);
      break;
    case 8:
      scatter(3, ring.number, 0, ring.ends);
      break;
    default:
      op_disable_mpi_reductions(true);
      if (OP_disable_mpi_reductions) printf("OP2-E222 is for several ranks\n");
      exit(1);
  }
  return 0;
}
