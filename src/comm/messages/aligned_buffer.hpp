// SPDX-License-Identifier: BSD-3-Clause
// The buffers of a channel's messages in one piece of memory.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include <comm/messages/communicator.hpp>

namespace op2::comm {

/// One buffer per peer, zero at first; each begins at a multiple of 64 bytes.
class AlignedBuffers {
 public:
  explicit AlignedBuffers(const std::vector<Peer>& peers) {
    std::size_t bytes = 0;
    for (const Peer& peer : peers) {
      begin_.push_back(bytes);
      size_.push_back(peer.bytes);
      bytes += (peer.bytes + alignment - 1) / alignment * alignment;
    }
    data_.reset(new (std::align_val_t(alignment)) std::byte[bytes]());
  }

  std::span<std::byte> operator[](std::size_t k) const {
    return {data_.get() + begin_[k], size_[k]};
  }
  std::size_t count() const { return size_.size(); }
  /// Gives the memory up for the rest of the program: somebody may still write to it.
  void leak() { static_cast<void>(data_.release()); }

 private:
  static constexpr std::size_t alignment = 64;
  struct Free {
    void operator()(std::byte* data) const {
      ::operator delete[](data, std::align_val_t(alignment));
    }
  };
  std::vector<std::size_t> begin_, size_;  ///< bytes
  std::unique_ptr<std::byte[], Free> data_;
};

}  // namespace op2::comm
