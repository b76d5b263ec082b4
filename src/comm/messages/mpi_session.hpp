// SPDX-License-Identifier: BSD-3-Clause
// Makes a Communicator of an MPI communicator.
#pragma once

#include <memory>

#include <comm/messages/mpi_calls.hpp>
#include <comm/messages/mpi_communicator.hpp>

namespace op2::comm {

/// Collective over `comm`, which is duplicated.
std::unique_ptr<Communicator> make_mpi_communicator(MPI_Comm comm, const MpiOptions& options);

}  // namespace op2::comm
