// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/halo_exchange.hpp>

#include <cstring>
#include <map>

#include <comm/halo/row_copy.hpp>

namespace op2::comm {
namespace {

/// Before the rows of a message: the fingerprint of the sender's signature.
constexpr std::size_t header_bytes = 16;

/// Fewer rows are packed by the calling thread alone.
constexpr std::int64_t min_rows_for_threads = 4096;

std::size_t aligned(std::size_t bytes) {
  return (bytes + 15) / 16 * 16;
}

/// The part [begin, end) of `count` rows that belongs to a thread.
struct RowBlock {
  RowBlock(std::int64_t count, int thread, int threads)
      : begin(count * thread / threads), end(count * (thread + 1) / threads) {}
  std::int64_t begin, end;
};

}  // namespace

/// Collects the parts of messages to or from each rank.
struct HaloExchange::Builder {
  core::Grouping grouping;
  std::map<int, std::vector<HaloMessage>> messages;

  void add(int rank, Segment segment, std::size_t rows) {
    auto& mine = messages[rank];
    if (mine.empty() || grouping == core::Grouping::separate)
      mine.push_back({rank, header_bytes, {}});
    segment.offset = mine.back().bytes;
    mine.back().bytes += aligned(rows * static_cast<std::size_t>(segment.dat->size));
    mine.back().segments.push_back(segment);
  }

  std::vector<HaloMessage> take() {
    std::vector<HaloMessage> all;
    for (auto& [rank, mine] : messages)
      for (HaloMessage& message : mine) all.push_back(std::move(message));
    return all;
  }
};

HaloExchange::HaloExchange(Communicator& communicator, const HaloPlan& plan,
                           const std::vector<DatLayers>& layers, core::Grouping grouping,
                           core::ThreadPool& pool)
    : communicator_(communicator), pool_(pool) {
  Builder out{grouping, {}}, in{grouping, {}};
  for (const DatLayers& layer : layers) {
    const IndexMap& set = plan.sets[static_cast<std::size_t>(layer.dat->set->index)];
    for (core::Level h = layer.from + 1; h <= layer.to; ++h) {
      const HaloLevel& level = set.levels[static_cast<std::size_t>(h - 1)];
      for (const ExportList& list : level.exports)
        out.add(list.rank, {layer.dat, 0, &list.rows, 0, 0}, list.rows.size());
      for (const ImportRange& r : level.imports)
        in.add(r.rank, {layer.dat, 0, nullptr, r.begin, r.count},
               static_cast<std::size_t>(r.count));
    }
  }
  outgoing_ = out.take();
  incoming_ = in.take();
  std::vector<Peer> sends, receives;
  for (const HaloMessage& message : outgoing_) {
    sends.push_back({message.rank, message.bytes});
    bytes_ += message.bytes;
    for (const Segment& segment : message.segments) packed_rows_ += std::ssize(*segment.rows);
  }
  for (const HaloMessage& message : incoming_) receives.push_back({message.rank, message.bytes});
  channel_ = communicator.open_channel(std::move(sends), std::move(receives));
}

void HaloExchange::pack_block(void* exchange, int thread) noexcept {
  auto& self = *static_cast<HaloExchange*>(exchange);
  for (std::size_t k = 0; k < self.outgoing_.size(); ++k) {
    std::byte* message = self.channel_->outgoing(k).data();
    for (const Segment& segment : self.outgoing_[k].segments) {
      const auto bytes = static_cast<std::size_t>(segment.dat->size);
      const RowBlock block(std::ssize(*segment.rows), thread, self.pool_.size());
      gather_rows(message + segment.offset + static_cast<std::size_t>(block.begin) * bytes,
                  segment.dat->rows.get(),
                  {segment.rows->data() + block.begin, segment.rows->data() + block.end}, bytes);
    }
  }
}

void HaloExchange::unpack_block(void* exchange, int thread) noexcept {
  auto& self = *static_cast<HaloExchange*>(exchange);
  for (std::size_t k = 0; k < self.incoming_.size(); ++k) {
    const std::byte* message = self.channel_->incoming(k).data();
    for (const Segment& segment : self.incoming_[k].segments) {
      const auto bytes = static_cast<std::size_t>(segment.dat->size);
      const RowBlock block(segment.count, thread, self.pool_.size());
      std::memcpy(
          segment.dat->rows.get() + static_cast<std::size_t>(segment.begin + block.begin) * bytes,
          message + segment.offset + static_cast<std::size_t>(block.begin) * bytes,
          static_cast<std::size_t>(block.end - block.begin) * bytes);
    }
  }
}

void HaloExchange::run(core::ThreadPool::Task task) {
  if (pool_.size() > 1 && packed_rows_ >= min_rows_for_threads) return pool_.run(task, this);
  for (int thread = 0; thread < pool_.size(); ++thread) task(this, thread);
}

void HaloExchange::start(std::uint64_t fingerprint) {
  fingerprint_ = fingerprint;
  run(pack_block);
  for (std::size_t k = 0; k < outgoing_.size(); ++k)
    std::memcpy(channel_->outgoing(k).data(), &fingerprint_, sizeof fingerprint_);
  channel_->start();
}

void HaloExchange::finish() {
  channel_->wait();
  for (std::size_t k = 0; k < incoming_.size(); ++k)
    if (std::memcmp(channel_->incoming(k).data(), &fingerprint_, sizeof fingerprint_) != 0)
      communicator_.report_mismatch(incoming_[k].rank);
  run(unpack_block);
}

}  // namespace op2::comm
