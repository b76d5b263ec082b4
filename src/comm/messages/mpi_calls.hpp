// SPDX-License-Identifier: BSD-3-Clause
// MPI calls whose failures become errors of the library; messages and collectives in flight.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <mpi.h>

#include <comm/messages/communicator.hpp>

namespace op2::comm {

/// @throws Error communication_failure with MPI's message, if `code` is not MPI_SUCCESS
void mpi_check(int code, const char* call);

/// That one library implements MPI in this process: of two, calls reach the one, and handles and
/// constants belong to the other. Before the first call of MPI that has any.
/// @throws Error communication_failure  naming their files
void check_single_mpi();

/// Whether MPI accepts memory of CUDA devices as buffers, by its own word; empty if it has none.
/// MPI is initialised.
std::optional<bool> mpi_is_gpu_aware();

/// A communicator of the library, which returns errors instead of ending the program. Destroying it
/// is collective, unless it is kept.
class MpiComm {
 public:
  /// @param owned  by one of the functions below; freed in the end
  explicit MpiComm(MPI_Comm owned);
  ~MpiComm();
  MpiComm(const MpiComm&) = delete;
  MpiComm& operator=(const MpiComm&) = delete;
  operator MPI_Comm() const { return comm_; }
  /// Leaves it to MPI_Finalize: messages may still be in flight, and MPI would reuse the context of
  /// a freed communicator for the next one.
  void keep() { kept_ = true; }

 private:
  MPI_Comm comm_;
  bool kept_ = false;
};

int rank_in(MPI_Comm ranks);
/// The same ranks. Collective, as the next three.
MPI_Comm duplicate(MPI_Comm original);
/// The ranks of this node: those that share memory with this one.
/// @param ranks_per_node  instead of asking the machine: so many ranks with successive numbers are
///                        a node; 0: ask
MPI_Comm ranks_on_node(MPI_Comm all, int ranks_per_node);
/// This rank among those of its node. Collective.
NodeRank rank_on_node(MPI_Comm all);
/// The ranks for which `takes_part` is true; MPI_COMM_NULL on the others.
MPI_Comm some_ranks(MPI_Comm all, bool takes_part);

/// Never frees memory that MPI may still access after an error.
template <class T>
void abandon(T value) {
  static_cast<void>(std::make_unique<T>(std::move(value)).release());
}

/// Messages in flight, each with its peer.
class MpiRequests {
 public:
  struct Fault {
    int peer;  ///< sent more or fewer bytes than were expected
  };

  /// @param expected  bytes of a receive whose size is known; -1 for anything else
  void add(MPI_Request request, int peer, int expected = -1);
  MPI_Request& operator[](std::size_t k) { return requests_[k]; }
  std::size_t count() const { return requests_.size(); }
  /// Makes progress; true once all have completed.
  /// @throws Fault, once all have ended; Error communication_failure
  bool test();
  /// Peers of messages that have not completed, without repetition.
  std::vector<int> peers_under_way() const;

 private:
  void check(int code);
  std::vector<MPI_Request> requests_;
  std::vector<int> peers_, expected_;
  std::vector<MPI_Status> statuses_;
};

/// One collective, and its buffers.
struct MpiCollective {
  MPI_Request request = MPI_REQUEST_NULL;
  Bytes out, in;

  MpiCollective(std::span<const std::byte> mine, std::size_t incoming)
      : out(mine.begin(), mine.end()), in(incoming) {}
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
