// SPDX-License-Identifier: BSD-3-Clause
// One halo exchange, made once and repeated: messages, the channel that carries them, and the
// packer that moves rows between dats and the channel's buffers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <comm/halo/halo_plan.hpp>
#include <comm/messages/communicator.hpp>
#include <core/arithmetic.hpp>
#include <core/memory.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>

namespace op2::comm {

/// Halo rows of a set that an exchange brings. Ranks ascend in both lists.
struct RowLists {
  std::vector<ExportList> imports;  ///< per owner: the local rows, ascending
  std::vector<ExportList> exports;  ///< per rank: the own rows, in the order of its import list
};

/// Halo rows of a set that this rank needs.
struct WantedRows {
  int set;
  std::vector<std::int32_t> rows;  ///< ascending
};

/// Tells the owners which rows are needed. Collective, with equal sets on all ranks. Cost: a sparse
/// exchange, and 8 bytes per row.
std::vector<std::shared_ptr<const RowLists>> agree_on_rows(Communicator& communicator,
                                                           const HaloPlan& plan,
                                                           const std::vector<WantedRows>& wanted);

/// The levels (from, to] of a dat; 0 <= from < to.
struct DatLayers {
  core::Dat* dat;
  core::Level from, to;
  std::shared_ptr<const RowLists> lists{};  ///< only these; null: all
};

/// Owned rows of a dat, packed one after the other in a message.
struct ListSegment {
  core::Dat* dat;
  std::size_t offset;                  ///< of the first in the message, in bytes; a multiple of 16
  std::span<const std::int32_t> rows;  ///< local rows; the halo plan's
};

/// The same rows at the receiver, or some of them: [begin, begin + count).
struct RangeSegment {
  core::Dat* dat;
  std::size_t offset;  ///< of the first of them
  std::int32_t begin, count;
};

template <class Segment>
struct HaloMessage {
  int rank;           ///< it goes to or comes from
  std::size_t bytes;  ///< header and segments, with padding
  std::vector<Segment> segments;
};

struct HaloMessages {
  std::vector<HaloMessage<ListSegment>> outgoing;   ///< ascending ranks
  std::vector<HaloMessage<RangeSegment>> incoming;  ///< ascending ranks
  std::size_t bytes = 0;                            ///< of all outgoing ones
  std::int64_t rows = 0;                            ///< in all outgoing ones
};

/// Bytes before the segments of a message, for the fingerprint of the sender's signature.
inline constexpr std::size_t message_header = 16;

/// Bytes of a segment, after which the next one is aligned.
inline std::size_t segment_bytes(std::size_t rows, std::size_t bytes_of_row) {
  constexpr std::size_t alignment = 16;
  return core::round_up(rows * bytes_of_row, alignment);
}

/// Local. Cost: O(layers x neighbours).
/// @param plan  has the levels; its export lists outlive the result
HaloMessages halo_messages(const HaloPlan& plan, const std::vector<DatLayers>& layers,
                           core::Grouping grouping);

/// Packs and unpacks the rows of one exchange. Made by an executor, which knows where rows are and
/// which pending work writes them. Buffers are plain memory of the host, unless a packer allocates
/// others; then it also writes and reads the fingerprints in their headers.
class Packer {
 public:
  /// Returns when nothing that it has started uses the buffers.
  virtual ~Packer() = default;

  /// Memory for the buffers of all messages of a direction, zero. Outlives the packer.
  virtual core::HostBytes allocate(std::size_t bytes) = 0;
  /// Called once, behind `allocate`: allocates and computes what all exchanges need.
  virtual void prepare(const HaloMessages& /*messages*/, Channel& /*channel*/) {}
  /// Packs rows into the outgoing buffers, or starts to. When it returns, rows may change.
  virtual void pack(const HaloMessages& messages, Channel& channel) = 0;
  /// Writes the header of each outgoing message. When it returns, these can be sent, and nothing
  /// uses the incoming buffers any more.
  virtual void finish_packing(const HaloMessages& messages, Channel& channel,
                              std::uint64_t fingerprint);
  /// What has arrived in the headers; shape [incoming messages].
  virtual std::vector<std::uint64_t> fingerprints(const HaloMessages& messages,
                                                  const Channel& channel);
  /// Unpacks what has arrived into rows; the buffers do not change before the next
  /// `finish_packing` returns.
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
  void start(std::uint64_t fingerprint) {
    pack(fingerprint);
    send();
  }
  /// The two halves of `start`. Between them rows may change already, so that work can be queued
  /// on a device while it packs; a second `send` does nothing.
  void pack(std::uint64_t fingerprint);
  void send();
  /// Gives MPI a chance to make progress.
  void progress() { channel_->test(); }
  /// Waits, compares the fingerprints and unpacks.
  /// @throws Error collective_mismatch, communication_failure
  void finish();

  const HaloMessages& messages() const { return messages_; }
  std::size_t bytes_received() const { return bytes_received_; }
  /// Of the last `finish`, by the clock of the ranks.
  double unpacking_seconds() const { return unpacking_seconds_; }

 private:
  Communicator& communicator_;
  HaloMessages messages_;
  std::unique_ptr<Packer> packer_;
  std::size_t bytes_received_ = 0;
  double unpacking_seconds_ = 0;
  std::uint64_t fingerprint_ = 0;
  bool packed_ = false;               ///< and not sent
  std::unique_ptr<Channel> channel_;  ///< its buffers are the packer's
};

}  // namespace op2::comm
