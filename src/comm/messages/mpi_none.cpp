// SPDX-License-Identifier: BSD-3-Clause
// A build without MPI.
#include <comm/messages/launcher.hpp>
#include <comm/messages/mpi_communicator.hpp>
#include <core/error.hpp>

namespace op2::comm {

std::string mpi_library() {
  return "";
}

bool mpi_is_running() {
  return false;
}

void end_mpi() {}

std::unique_ptr<MpiSession> start_mpi(std::optional<int>, const MpiOptions&) {
  check_alone(this_launch(), mpi_library());
  core::fail(ErrorCode::not_compiled,
             "this build of libop2 has no MPI: op_init, OP2_MPI=on or a communicator of the "
             "program; configure with -DOP2_WITH_MPI=ON, or start one process without them");
}

}  // namespace op2::comm
