// SPDX-License-Identifier: BSD-3-Clause
// One halo exchange: layers of several dats in one message per neighbour, made once and repeated.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <comm/halo/halo_plan.hpp>
#include <comm/messages/communicator.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <core/thread_pool.hpp>

namespace op2::comm {

/// The levels (from, to] of a dat; 0 <= from < to.
struct DatLayers {
  core::Dat* dat;
  core::Level from, to;
};

/// Collective among neighbours, which make and use their exchanges in the same order. The dats must
/// keep their rows where they are as long as it exists.
class HaloExchange {
 public:
  HaloExchange(Communicator& communicator, const HaloPlan& plan,
               const std::vector<DatLayers>& layers, core::Grouping grouping,
               core::ThreadPool& pool);

  /// Packs and sends. Rows may change afterwards.
  /// @param fingerprint  of the sender's signature; goes with every message
  void start(std::uint64_t fingerprint);
  /// Moves messages on.
  void progress() { channel_->test(); }
  /// Waits, compares the fingerprints and unpacks.
  /// @throws Error collective_mismatch, communication_failure
  void finish();

  std::size_t messages() const { return outgoing_.size(); }  ///< sent
  std::size_t bytes() const { return bytes_; }               ///< sent
  std::int64_t packed_rows() const { return packed_rows_; }

 private:
  /// Rows of one dat in a message.
  struct Segment {
    const core::Dat* dat;
    std::size_t offset;                     ///< in the message
    const std::vector<std::int32_t>* rows;  ///< outgoing: in this order
    std::int32_t begin, count;              ///< incoming: an index range
  };
  struct HaloMessage {
    int rank;
    std::size_t bytes;
    std::vector<Segment> segments;
  };
  struct Builder;
  static void pack_block(void* exchange, int thread) noexcept;
  static void unpack_block(void* exchange, int thread) noexcept;
  void run(core::ThreadPool::Task task);

  Communicator& communicator_;
  core::ThreadPool& pool_;
  std::vector<HaloMessage> outgoing_, incoming_;
  std::size_t bytes_ = 0;
  std::int64_t packed_rows_ = 0;
  std::uint64_t fingerprint_ = 0;
  std::unique_ptr<Channel> channel_;
};

}  // namespace op2::comm
