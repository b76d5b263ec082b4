// SPDX-License-Identifier: BSD-3-Clause
// Messages of MPI between ranks: channels as persistent requests, and a sparse all-to-all in which
// receivers do not know their senders.
#pragma once

#include <cstdint>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/messages/message_layer.hpp>
#include <comm/messages/mpi_calls.hpp>
#include <comm/messages/mpi_watch.hpp>

namespace op2::comm {

/// Messages larger than `largest` bytes are cut into segments, all of which are in flight at once.
/// The requests of a channel share a tag, since both sides start them in the same order.
class MpiChannel final : public Channel {
 public:
  struct Endpoint {
    MPI_Comm comm;
    int tag;
    std::uint64_t number;
    std::size_t largest;  ///< bytes
  };
  MpiChannel(const Endpoint& endpoint, MpiWatch& watch, const std::vector<Peer>& sends,
             const std::vector<Peer>& receives, const core::HostAllocator& allocate);
  ~MpiChannel() override;

  std::span<std::byte> outgoing(std::size_t k) override { return outgoing_[k]; }
  std::span<const std::byte> incoming(std::size_t k) const override { return incoming_[k]; }
  void start() override;
  bool test() override;
  void wait() override;

 private:
  static constexpr const char* operation = "waiting for messages of a channel";
  void add_send(const Endpoint& endpoint, std::span<std::byte> segment, int peer);
  void add_receive(const Endpoint& endpoint, std::span<std::byte> segment, int peer);

  MpiWatch& watch_;
  std::uint64_t number_;
  AlignedBuffers outgoing_, incoming_;
  MpiRequests requests_;  ///< receives first
  bool under_way_ = false;
};

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
  /// `MpiWatch::poll_control_messages`.
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
