// SPDX-License-Identifier: BSD-3-Clause
// Calls of MPI whose failures are errors of the library.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <mpi.h>

namespace op2::comm {

/// @throws Error communication_failure with the message of MPI, if `code` is not MPI_SUCCESS
void mpi_check(int code, const char* call);

/// A duplicate of a communicator, which returns errors instead of ending the program. Collective to
/// make and to destroy, unless it is kept.
class MpiDuplicate {
 public:
  explicit MpiDuplicate(MPI_Comm original);
  ~MpiDuplicate();
  MpiDuplicate(const MpiDuplicate&) = delete;
  MpiDuplicate& operator=(const MpiDuplicate&) = delete;
  operator MPI_Comm() const { return comm_; }
  /// Leaves it to MPI_Finalize: messages may still be on their way, and MPI would give the number
  /// of a communicator that is freed to the next one.
  void keep() { kept_ = true; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  bool kept_ = false;
};

/// Gives memory up for the rest of the program, where an error ends a transfer that MPI has not.
template <class T>
void abandon(T value) {
  static_cast<void>(std::make_unique<T>(std::move(value)).release());
}

/// Messages under way, each with its peer.
class MpiRequests {
 public:
  struct Fault {
    int peer;  ///< sent more or fewer bytes than were expected
  };

  /// @param expected  bytes of a receive whose size is known; -1 for anything else
  void add(MPI_Request request, int peer, int expected = -1);
  MPI_Request& operator[](std::size_t k) { return requests_[k]; }
  std::size_t count() const { return requests_.size(); }
  /// Moves messages on; true once all have ended.
  /// @throws Fault, once all have ended; Error communication_failure
  bool test();
  /// Peers of those that have not ended, without repetition.
  std::vector<int> peers_under_way() const;

 private:
  void check(int code);
  std::vector<MPI_Request> requests_;
  std::vector<int> peers_, expected_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace op2::comm
