// SPDX-License-Identifier: BSD-3-Clause
// A program that uses MPI between op_init and op_exit and starts it nowhere.
#include "expect.h"

#include "op_lib_mpi.h"

template <>
MPI_Datatype get_mpi_type<double>() {
  return MPI_DOUBLE;
}

int main(int argc, char** argv) {
  op_init(argc, argv, 2);
  int rank = -1, size = 0, others = 0;
  op_rank(&rank);
  MPI_Comm_size(OP_MPI_WORLD, &size);
  MPI_Comm_size(OP_MPI_GLOBAL, &others);
  expect("ranks", size, others);
  double one = 1, all = 0;
  MPI_Allreduce(&one, &all, 1, get_mpi_type<double>(), MPI_SUM, OP_MPI_WORLD);
  expect("sum", all, size);
  int sent = rank == MPI_ROOT ? 7 : 0;
  MPI_Bcast(&sent, 1, MPI_INT, MPI_ROOT, OP_MPI_WORLD);
  expect("broadcast", sent, 7);
  op_exit();
  int ended = 0;
  MPI_Finalized(&ended);
  expect("ended", ended, 1);
  return faults == 0 ? 0 : 1;
}
