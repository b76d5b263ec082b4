// SPDX-License-Identifier: BSD-3-Clause
// A program of several ranks without GoogleTest: session_program HOW, where HOW is one of
//   begins    the library begins and ends MPI; the exit code is 0
//   single    the program has begun MPI without threads; the exit code is 0
//   finished  the program has ended MPI before; the exit code is 0 if that is an error
//   killed    rank 1 kills itself while the others wait for it
//   ends      rank 1 ends the job with exit code 65 while the others wait for it
#include <csignal>
#include <cstdio>
#include <cstring>

#include <mpi.h>

#include <comm/messages/mpi_communicator.hpp>
#include <op2/error.hpp>

namespace {

using op2::comm::mpi_is_running;
using op2::comm::start_mpi;

int begins() {
  const bool before = mpi_is_running();
  auto session = start_mpi({});
  const bool during = mpi_is_running() && session->threads_allowed;
  session->communicator->barrier();
  session.reset();
  return !before && during && !mpi_is_running() ? 0 : 1;
}

int single() {
  int granted = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SINGLE, &granted);
  const bool allowed = start_mpi({})->threads_allowed;
  const bool as_granted = allowed == (granted == MPI_THREAD_MULTIPLE);
  MPI_Finalize();
  return as_granted ? 0 : 1;
}

int finished() {
  MPI_Init(nullptr, nullptr);
  MPI_Finalize();
  try {
    start_mpi({});
  } catch (const op2::Error& error) {
    return error.code() == op2::ErrorCode::communication_failure ? 0 : 1;
  }
  return 1;
}

int dies(bool is_killed) {
  const auto session = start_mpi({});
  op2::comm::Communicator& ranks = *session->communicator;
  ranks.barrier();
  if (ranks.rank() == 1 && is_killed) std::raise(SIGKILL);
  if (ranks.rank() == 1) ranks.end_job(65);
  ranks.barrier();
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const char* how = count == 2 ? words[1] : "";
  if (std::strcmp(how, "begins") == 0) return begins();
  if (std::strcmp(how, "single") == 0) return single();
  if (std::strcmp(how, "finished") == 0) return finished();
  if (std::strcmp(how, "killed") == 0) return dies(true);
  if (std::strcmp(how, "ends") == 0) return dies(false);
  std::puts("session_program begins|single|finished|killed|ends");
  return 2;
}
