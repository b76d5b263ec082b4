// SPDX-License-Identifier: BSD-3-Clause
// A sparse all-to-all in which receivers do not know their senders.
#pragma once

#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/messages/mpi_calls.hpp>

namespace op2::comm {

/// The messages of one exchange. A synchronous send completes once it is being received; so when
/// those of all ranks have completed, no more messages arrive (Hoefler, Siebert, Lumsdaine:
/// Scalable communication protocols for dynamic sparse data exchange, 2010). Cost: O(messages) and
/// a barrier.
class MpiExchange {
 public:
  /// Messages are sent in segments of `largest` bytes; the first shorter one is the last.
  MpiExchange(MPI_Comm comm, int tag, std::size_t largest, std::vector<Message> outgoing);
  ~MpiExchange();
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  /// Begins to receive a message if there is one. Only while this rank waits, as
  /// `MpiWatch::read_notes`.
  void receive();
  MpiRequests& sends() { return sends_; }
  MpiRequests& receives() { return receives_; }
  /// The received messages, ordered by sender; complete once all ranks have sent theirs and
  /// `receives` have completed.
  std::vector<Message> take();

 private:
  MPI_Comm comm_;
  int tag_;
  std::size_t largest_;
  std::vector<Message> outgoing_, segments_;
  MpiRequests sends_, receives_;
  bool complete_ = false;
};

}  // namespace op2::comm
