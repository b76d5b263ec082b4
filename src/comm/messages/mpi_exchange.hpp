// SPDX-License-Identifier: BSD-3-Clause
// A sparse all-to-all in which nobody knows who will send.
#pragma once

#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/messages/mpi_calls.hpp>

namespace op2::comm {

/// The messages of one exchange. A synchronous send ends once it is being received; so when all
/// ranks say that theirs have ended, nothing more will come (Hoefler, Siebert, Lumsdaine: Scalable
/// communication protocols for dynamic sparse data exchange, 2010). Cost: O(messages) and what it
/// takes to hear that all have ended.
class MpiExchange {
 public:
  /// Messages go in segments of `largest` bytes; the first shorter one is the last.
  MpiExchange(MPI_Comm comm, int tag, std::size_t largest, std::vector<Message> outgoing);
  ~MpiExchange();
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  /// Begins to receive a message if there is one.
  void receive();
  MpiRequests& sends() { return sends_; }
  MpiRequests& receives() { return receives_; }
  /// What has come, ordered by sender; valid once nothing more will come and `receives` have ended.
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
