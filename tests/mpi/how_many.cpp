// SPDX-License-Identifier: BSD-3-Clause
// Says how many ranks the library sees, and whether MPI runs: how_many [HOW], where HOW is
//   begins  the program has begun MPI before       passes  the program passes a communicator
//   halves  it passes one of every second process
// The exit code is 0, or 3 after an error, which is printed.
#include <cstdio>
#include <string>

#include <mpi.h>

#include <op2/op2.hpp>

namespace {

MPI_Comm every_second() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  return half;
}

}  // namespace

int main(int count, char** words) {
  const std::string how = count > 1 ? words[1] : "";
  if (!how.empty()) MPI_Init(&count, &words);
  try {
    if (how == "passes")
      op_mpi_init(count, words, 1, MPI_Comm_c2f(MPI_COMM_WORLD));
    else if (how == "halves")
      op_mpi_init(count, words, 1, MPI_Comm_c2f(every_second()));
    else
      op_init(count, words);
    int runs = 0;
    MPI_Initialized(&runs);
    std::printf("%d ranks %s MPI\n", op_ranks(), runs ? "with" : "without");
    op_exit();
  } catch (const op2::Error& error) {
    std::fprintf(stderr, "caught: %s\n", error.what());
    return 3;
  }
  if (!how.empty()) MPI_Finalize();
  return 0;
}
