// SPDX-License-Identifier: BSD-3-Clause
// A program that uses MPI between op_init and op_exit and starts it nowhere.
#include "expect.h"

#include "op_lib_mpi.h"

struct Three {
  double values[3];
};

template <>
MPI_Datatype get_mpi_type<Three>() {
  return MPI_BYTE;
}

template <class T>
void reduced(MPI_Datatype type, int ranks) {
  T one = 1, all = 0;
  expect("type", get_mpi_type<T>() == type && get_mpi_type(&one) == type, 1);
  MPI_Allreduce(&one, &all, 1, get_mpi_type<T>(), MPI_SUM, OP_MPI_WORLD);
  expect("sum", static_cast<double>(all), ranks);
}

void types(int ranks) {
  reduced<double>(MPI_DOUBLE, ranks);
  reduced<float>(MPI_FLOAT, ranks);
  reduced<int>(MPI_INT, ranks);
  reduced<uint>(MPI_UNSIGNED, ranks);
  reduced<long>(MPI_LONG, ranks);
  reduced<unsigned long>(MPI_UNSIGNED_LONG, ranks);
  reduced<ll>(MPI_LONG_LONG, ranks);
  reduced<idx_g_t>(MPI_LONG_LONG, ranks);
  reduced<ull>(MPI_UNSIGNED_LONG_LONG, ranks);
  expect("bool", get_mpi_type<bool>() == MPI_C_BOOL, 1);
  expect("const", get_mpi_type<const double>() == MPI_DOUBLE, 1);
  expect("own type", get_mpi_type<Three>() == MPI_BYTE, 1);
  bool refused = false;
  try {
    get_mpi_type<char*>();
  } catch (const std::runtime_error&) {
    refused = true;
  }
  expect("no type", refused, 1);
}

int main(int argc, char** argv) {
  op_init(argc, argv, 2);
  int rank = -1, size = 0, others = 0;
  op_rank(&rank);
  MPI_Comm_size(OP_MPI_WORLD, &size);
  MPI_Comm_size(OP_MPI_GLOBAL, &others);
  expect("ranks", size, others);
  types(size);
  int sent = rank == MPI_ROOT ? 7 : 0;
  MPI_Bcast(&sent, 1, MPI_INT, MPI_ROOT, OP_MPI_WORLD);
  expect("broadcast", sent, 7);
  op_exit();
  int ended = 0;
  MPI_Finalized(&ended);
  expect("ended", ended, 1);
  return faults == 0 ? 0 : 1;
}
