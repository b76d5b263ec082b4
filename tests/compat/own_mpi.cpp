// SPDX-License-Identifier: BSD-3-Clause
// A program that initialises MPI itself and passes its communicators to op_mpi_init: every rank
// has a mesh alone.
#include "expect.h"

#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm alone;
  int number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  MPI_Comm_split(MPI_COMM_WORLD, number, 0, &alone);
  op_mpi_init(argc, argv, 0, MPI_Comm_c2f(MPI_COMM_WORLD), MPI_Comm_c2f(alone));
  const Ring ring(5 + number);
  expect("own mesh", static_cast<double>(op_get_size(ring.cells)), 5 + number);
  expect("own root", op_is_root(), 1);
  MPI_Comm_free(&alone);
  op_exit();
  int ended = 0;
  MPI_Finalized(&ended);
  expect("ended", ended, 1);
  return faults == 0 ? 0 : 1;
}
