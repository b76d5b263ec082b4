// SPDX-License-Identifier: BSD-3-Clause
// One halo exchange, made once and repeated: messages, the channel that carries them, and the
// packer that moves rows between dats and the channel's buffers.
#pragma once

#include <cstdint>
#include <memory>

#include <comm/halo/halo_messages.hpp>
#include <comm/messages/communicator.hpp>
#include <core/memory.hpp>

namespace op2::comm {

/// Packs and unpacks the rows of one exchange. Made by an executor, which knows where rows are and
/// which pending work writes them.
class Packer {
 public:
  /// Returns when nothing that it has started uses the buffers.
  virtual ~Packer() = default;

  /// Memory for the buffers of all messages of a direction. Outlives the packer.
  virtual core::HostBytes allocate(std::size_t bytes) = 0;
  /// Packs rows into the outgoing buffers. When it returns, these can be sent, nothing uses the
  /// incoming buffers any more, and rows may change.
  virtual void pack(const HaloMessages& messages, Channel& channel) = 0;
  /// Unpacks what has arrived into rows; the buffers do not change before the next `pack` returns.
  virtual void unpack(const HaloMessages& messages, const Channel& channel) = 0;
};

/// Collective among neighbours, which make and use their exchanges in the same order. The dats must
/// keep their rows where they are as long as it exists.
class HaloExchange {
 public:
  HaloExchange(Communicator& communicator, HaloMessages messages, std::unique_ptr<Packer> packer);
  /// Also in the middle of an exchange that has failed.
  ~HaloExchange() { packer_.reset(); }

  /// Packs and sends. Rows may change afterwards.
  /// @param fingerprint  of the sender's signature; goes with every message
  void start(std::uint64_t fingerprint);
  /// Gives MPI a chance to make progress.
  void progress() { channel_->test(); }
  /// Waits, compares the fingerprints and unpacks.
  /// @throws Error collective_mismatch, communication_failure
  void finish();

  std::size_t messages() const { return messages_.outgoing.size(); }  ///< sent
  std::size_t bytes() const { return messages_.bytes; }               ///< sent
  std::int64_t packed_rows() const { return messages_.rows; }

 private:
  Communicator& communicator_;
  HaloMessages messages_;
  std::unique_ptr<Packer> packer_;
  std::uint64_t fingerprint_ = 0;
  std::unique_ptr<Channel> channel_;  ///< its buffers are the packer's
};

}  // namespace op2::comm
