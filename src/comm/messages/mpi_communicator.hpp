// SPDX-License-Identifier: BSD-3-Clause
// MPI as the message layer. A build without MPI has a stub that throws not_compiled.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <comm/messages/communicator.hpp>

namespace op2::comm {

/// Name and version of the MPI library in this process; empty in a build without MPI. Local.
std::string mpi_library();

/// True if the program has called MPI_Init and not MPI_Finalize. Local.
bool mpi_is_running();

/// Finalises MPI if it is running, even if the program has started it. Collective.
void end_mpi();

/// The use of MPI from `op_init` to `op_exit`. Outlives all channels. Destruction is collective.
struct MpiSession {
  std::unique_ptr<Communicator> communicator;  ///< on a duplicate, whose tags are the library's
  bool threads_allowed = false;  ///< MPI_THREAD_MULTIPLE is provided; PT-Scotch hangs without it

  MpiSession() = default;
  MpiSession(const MpiSession&) = delete;
  virtual ~MpiSession() = default;  ///< frees the duplicate; ends MPI if `start_mpi` started it

  /// What happens if the program calls MPI_Finalize during the session, before MPI ends. `action`
  /// must not throw.
  virtual void on_finalize(std::function<void()> action) = 0;
};

struct MpiOptions {
  /// Larger messages are sent in segments of this size; at most INT_MAX, at least 1.
  std::size_t largest_message = std::size_t{1} << 30;  // bytes
  /// How long a rank waits before it asks the others what they are executing. It is an error only
  /// if some of them wait for each other in different calls; slow ranks are waited for.
  double seconds_before_asking = 2;
  /// How long it waits before it reports that; longer than before it asks.
  double seconds_before_reporting = 5;
  bool accepts_two_libraries = false;  ///< one of which passes calls to the other
};

/// Uses a running MPI, or starts it with MPI_THREAD_MULTIPLE. Collective. May be called again while
/// an earlier session lives.
/// @param fortran_handle  of the communicator to use (MPI_Comm_c2f); empty: MPI_COMM_WORLD
/// @throws Error communication_failure  also if there are two MPI libraries in this process, or if
///         the launcher has started others that MPI does not find; not_compiled (naming
///         OP2_WITH_MPI)
std::unique_ptr<MpiSession> start_mpi(std::optional<int> fortran_handle,
                                      const MpiOptions& options = {});

}  // namespace op2::comm
