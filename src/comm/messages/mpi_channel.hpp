// SPDX-License-Identifier: BSD-3-Clause
// Channels as persistent requests of MPI.
#pragma once

#include <cstdint>
#include <vector>

#include <comm/messages/aligned_buffer.hpp>
#include <comm/messages/communicator.hpp>
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

}  // namespace op2::comm
