// SPDX-License-Identifier: BSD-3-Clause
// The buffers of a channel's messages in one allocation.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/arithmetic.hpp>
#include <core/memory.hpp>

namespace op2::comm {

/// One buffer per peer, zero at first; each begins at a multiple of 64 bytes.
class AlignedBuffers {
 public:
  AlignedBuffers(const std::vector<Peer>& peers, const core::HostAllocator& allocate) {
    std::size_t bytes = 0;
    for (const Peer& peer : peers) {
      begin_.push_back(bytes);
      size_.push_back(peer.bytes);
      bytes += core::round_up(peer.bytes, alignment);
    }
    data_ = allocate(bytes);
  }

  std::span<std::byte> operator[](std::size_t k) const {
    return {data_.memory.get() + begin_[k], size_[k]};
  }
  std::size_t count() const { return size_.size(); }
  /// Never frees the memory, since MPI may still write to it.
  void leak() { static_cast<void>(new core::HostBytes(data_)); }

 private:
  static constexpr std::size_t alignment = 64;
  std::vector<std::size_t> begin_, size_;  ///< bytes
  core::HostBytes data_;
};

}  // namespace op2::comm
