// SPDX-License-Identifier: BSD-3-Clause
// A build without MPI.
#include <comm/messages/mpi_communicator.hpp>
#include <core/error.hpp>

namespace op2::comm {

bool mpi_is_running() {
  return false;
}

void end_mpi() {}

std::unique_ptr<MpiSession> start_mpi(std::optional<int>, const MpiOptions&) {
  core::fail(ErrorCode::not_compiled,
             "this build of libop2 has no MPI: op_init, {} processes were launched and each would "
             "solve the whole problem; configure with -DOP2_WITH_MPI=ON, or start one process and "
             "set OP2_THREADS",
             launched_processes());
}

}  // namespace op2::comm
