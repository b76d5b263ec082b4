// SPDX-License-Identifier: BSD-3-Clause
// A collective of MPI in flight.
#pragma once

#include <utility>

#include <comm/messages/communicator.hpp>
#include <comm/messages/mpi_calls.hpp>

namespace op2::comm {

/// One collective, and its buffers.
struct MpiCollective {
  MPI_Request request = MPI_REQUEST_NULL;
  Bytes out, in;

  MpiCollective() = default;
  MpiCollective(const MpiCollective&) = delete;
  ~MpiCollective() {
    if (request == MPI_REQUEST_NULL) return;
    abandon(std::move(out));  // an error interrupted the wait
    abandon(std::move(in));
  }
  bool test() {
    int ended = 0;
    mpi_check(MPI_Test(&request, &ended, MPI_STATUS_IGNORE), "MPI_Test");
    return ended != 0;
  }
};

}  // namespace op2::comm
