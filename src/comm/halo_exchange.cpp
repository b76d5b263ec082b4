// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo_exchange.hpp>

#include <cstring>
#include <map>

#include <comm/row_copy.hpp>

namespace op2::comm {
namespace {

/// Before the rows of a message: the stamp of the sender's activity.
constexpr std::size_t header_bytes = 16;

/// Fewer rows are packed by the calling thread alone.
constexpr std::int64_t min_rows_for_threads = 4096;

std::size_t aligned(std::size_t bytes) {
  return (bytes + 15) / 16 * 16;
}

/// The part [begin, end) of `count` rows that belongs to a thread.
struct Share {
  Share(std::int64_t count, int thread, int threads)
      : begin(count * thread / threads), end(count * (thread + 1) / threads) {}
  std::int64_t begin, end;
};

}  // namespace

/// Collects the parts of messages to or from each rank.
struct HaloExchange::Builder {
  core::Grouping grouping;
  std::map<int, std::vector<Parcel>> parcels;

  void add(int rank, Piece piece, std::size_t rows) {
    auto& mine = parcels[rank];
    if (mine.empty() || grouping == core::Grouping::separate)
      mine.push_back({rank, header_bytes, {}});
    piece.offset = mine.back().bytes;
    mine.back().bytes += aligned(rows * static_cast<std::size_t>(piece.dat->size));
    mine.back().pieces.push_back(piece);
  }

  std::vector<Parcel> take() {
    std::vector<Parcel> all;
    for (auto& [rank, mine] : parcels)
      for (Parcel& parcel : mine) all.push_back(std::move(parcel));
    return all;
  }
};

HaloExchange::HaloExchange(Communicator& communicator, const HaloFamily& family,
                           const std::vector<Shipment>& shipments, core::Grouping grouping,
                           core::ThreadPool& pool)
    : communicator_(communicator), pool_(pool) {
  Builder out{grouping, {}}, in{grouping, {}};
  for (const Shipment& shipment : shipments) {
    const SetFamily& set = family.sets[static_cast<std::size_t>(shipment.dat->set->index)];
    for (core::Level h = shipment.from + 1; h <= shipment.to; ++h) {
      const HaloLevel& level = set.levels[static_cast<std::size_t>(h - 1)];
      for (const ExportList& list : level.exports)
        out.add(list.rank, {shipment.dat, 0, &list.rows, 0, 0}, list.rows.size());
      for (const ImportRun& r : level.imports)
        in.add(r.rank, {shipment.dat, 0, nullptr, r.begin, r.count},
               static_cast<std::size_t>(r.count));
    }
  }
  outgoing_ = out.take();
  incoming_ = in.take();
  std::vector<Peer> sends, receives;
  for (const Parcel& parcel : outgoing_) {
    sends.push_back({parcel.rank, parcel.bytes});
    bytes_ += parcel.bytes;
    for (const Piece& piece : parcel.pieces) packed_rows_ += std::ssize(*piece.rows);
  }
  for (const Parcel& parcel : incoming_) receives.push_back({parcel.rank, parcel.bytes});
  channel_ = communicator.open_channel(std::move(sends), std::move(receives));
}

void HaloExchange::pack_share(void* exchange, int thread) noexcept {
  auto& self = *static_cast<HaloExchange*>(exchange);
  for (std::size_t k = 0; k < self.outgoing_.size(); ++k) {
    std::byte* message = self.channel_->outgoing(k).data();
    for (const Piece& piece : self.outgoing_[k].pieces) {
      const auto bytes = static_cast<std::size_t>(piece.dat->size);
      const Share share(std::ssize(*piece.rows), thread, self.pool_.size());
      gather_rows(message + piece.offset + static_cast<std::size_t>(share.begin) * bytes,
                  piece.dat->rows.get(),
                  {piece.rows->data() + share.begin, piece.rows->data() + share.end}, bytes);
    }
  }
}

void HaloExchange::unpack_share(void* exchange, int thread) noexcept {
  auto& self = *static_cast<HaloExchange*>(exchange);
  for (std::size_t k = 0; k < self.incoming_.size(); ++k) {
    const std::byte* message = self.channel_->incoming(k).data();
    for (const Piece& piece : self.incoming_[k].pieces) {
      const auto bytes = static_cast<std::size_t>(piece.dat->size);
      const Share share(piece.count, thread, self.pool_.size());
      std::memcpy(
          piece.dat->rows.get() + static_cast<std::size_t>(piece.begin + share.begin) * bytes,
          message + piece.offset + static_cast<std::size_t>(share.begin) * bytes,
          static_cast<std::size_t>(share.end - share.begin) * bytes);
    }
  }
}

void HaloExchange::run(core::ThreadPool::Task task) {
  if (pool_.size() > 1 && packed_rows_ >= min_rows_for_threads) return pool_.run(task, this);
  for (int thread = 0; thread < pool_.size(); ++thread) task(this, thread);
}

void HaloExchange::start(std::uint64_t stamp) {
  stamp_ = stamp;
  run(pack_share);
  for (std::size_t k = 0; k < outgoing_.size(); ++k)
    std::memcpy(channel_->outgoing(k).data(), &stamp_, sizeof stamp_);
  channel_->start();
}

void HaloExchange::finish() {
  channel_->wait();
  for (std::size_t k = 0; k < incoming_.size(); ++k)
    if (std::memcmp(channel_->incoming(k).data(), &stamp_, sizeof stamp_) != 0)
      communicator_.report_divergence(incoming_[k].rank);
  run(unpack_share);
}

}  // namespace op2::comm
