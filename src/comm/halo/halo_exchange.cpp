// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/halo_exchange.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include <comm/messages/records.hpp>

namespace op2::comm {

namespace {

/// The rows of a set by their owners.
std::vector<ExportList> by_owner(const core::Layout& layout, const WantedRows& wanted) {
  std::map<int, std::vector<std::int32_t>> rows;
  for (const std::int32_t row : wanted.rows) rows[layout.owner[row]].push_back(row);
  std::vector<ExportList> lists;
  for (auto& [owner, owned] : rows) lists.push_back({owner, std::move(owned)});
  return lists;
}

/// Collects the segments of the messages to, or from, each rank.
template <class Segment>
class MessageBuilder {
 public:
  explicit MessageBuilder(core::Grouping grouping) : grouping_(grouping) {}

  void add(int rank, Segment segment, std::size_t rows) {
    HaloMessage<Segment>& message = message_for(rank);
    segment.offset = message.bytes;
    message.bytes += padded(segment, rows);
    message.segments.push_back(segment);
  }

  /// Rows that have one place in the message, in several segments.
  void add_in_parts(int rank, const std::vector<Segment>& parts) {
    HaloMessage<Segment>& message = message_for(rank);
    std::size_t rows = 0;
    for (Segment part : parts) {
      part.offset = message.bytes + rows * static_cast<std::size_t>(part.dat->size);
      rows += static_cast<std::size_t>(part.count);
      message.segments.push_back(part);
    }
    message.bytes += padded(parts.front(), rows);
  }

  std::vector<HaloMessage<Segment>> take() {
    std::vector<HaloMessage<Segment>> all;
    for (auto& [rank, mine] : messages_)
      for (auto& message : mine) all.push_back(std::move(message));
    return all;
  }

 private:
  static std::size_t padded(const Segment& segment, std::size_t rows) {
    return segment_bytes(rows, static_cast<std::size_t>(segment.dat->size));
  }

  HaloMessage<Segment>& message_for(int rank) {
    auto& mine = messages_[rank];
    if (mine.empty() || grouping_ == core::Grouping::separate)
      mine.push_back({rank, message_header, {}});
    return mine.back();
  }

  core::Grouping grouping_;
  std::map<int, std::vector<HaloMessage<Segment>>> messages_;
};

std::vector<RangeSegment> ranges_of(core::Dat* dat, const std::vector<std::int32_t>& rows) {
  std::vector<RangeSegment> ranges;
  for (const std::int32_t row : rows)
    if (!ranges.empty() && ranges.back().begin + ranges.back().count == row)
      ++ranges.back().count;
    else
      ranges.push_back({dat, 0, row, 1});
  return ranges;
}

/// The segments of both directions.
class Segments {
 public:
  explicit Segments(core::Grouping grouping) : outgoing_(grouping), incoming_(grouping) {}

  void add(core::Dat* dat, const HaloLevel& level) {
    for (const ExportList& list : level.exports) send(dat, list);
    for (const ImportRange& r : level.imports)
      incoming_.add(r.rank, {dat, 0, r.begin, r.count}, static_cast<std::size_t>(r.count));
  }

  void add(core::Dat* dat, const RowLists& lists) {
    for (const ExportList& list : lists.exports) send(dat, list);
    for (const ExportList& list : lists.imports)
      incoming_.add_in_parts(list.rank, ranges_of(dat, list.rows));
  }

  HaloMessages take() {
    HaloMessages messages{outgoing_.take(), incoming_.take(), 0, rows_};
    for (const auto& message : messages.outgoing) messages.bytes += message.bytes;
    return messages;
  }

 private:
  void send(core::Dat* dat, const ExportList& list) {
    outgoing_.add(list.rank, {dat, 0, list.rows}, list.rows.size());
    rows_ += std::ssize(list.rows);
  }

  MessageBuilder<ListSegment> outgoing_;
  MessageBuilder<RangeSegment> incoming_;
  std::int64_t rows_ = 0;
};

template <class Segment>
std::vector<Peer> peers_of(const std::vector<HaloMessage<Segment>>& messages) {
  std::vector<Peer> peers;
  for (const auto& message : messages) peers.push_back({message.rank, message.bytes});
  return peers;
}

}  // namespace

std::vector<std::shared_ptr<const RowLists>> agree_on_rows(Communicator& communicator,
                                                           const HaloPlan& plan,
                                                           const std::vector<WantedRows>& wanted) {
  std::vector<std::shared_ptr<RowLists>> all;
  Outbox outbox;
  for (const WantedRows& rows : wanted) {
    const core::Layout& layout = plan.sets[rows.set].layout;
    all.push_back(std::make_shared<RowLists>(RowLists{by_owner(layout, rows), {}}));
    for (const ExportList& list : all.back()->imports) {
      Bytes& bytes = outbox[list.rank];
      std::vector<GlobalId> ids;
      for (const std::int32_t row : list.rows) ids.push_back(layout.global_id[row]);
      put(bytes, static_cast<std::int32_t>(all.size() - 1));
      put(bytes, static_cast<std::int32_t>(ids.size()));
      put_many(bytes, std::span<const GlobalId>(ids));
    }
  }
  for (const Message& message : communicator.exchange(messages_of(std::move(outbox))))
    for (Reader reader(message.bytes); !reader.empty();) {
      const auto number = static_cast<std::size_t>(reader.get<std::int32_t>());
      const auto count = static_cast<std::size_t>(reader.get<std::int32_t>());
      const IndexMap& set = plan.sets[wanted[number].set];
      ExportList list{message.rank, {}};
      for (const GlobalId id : reader.get_many<GlobalId>(count))
        list.rows.push_back(set.owned_row(id));
      all[number]->exports.push_back(std::move(list));
    }
  return {all.begin(), all.end()};
}

HaloMessages halo_messages(const HaloPlan& plan, const std::vector<DatLayers>& layers,
                           core::Grouping grouping) {
  Segments segments(grouping);
  for (const DatLayers& layer : layers) {
    if (layer.lists != nullptr) {
      segments.add(layer.dat, *layer.lists);
      continue;
    }
    const IndexMap& set = plan.sets[layer.dat->set->index];
    for (core::Level h = layer.from + 1; h <= layer.to; ++h)
      segments.add(layer.dat, set.levels[h - 1]);
  }
  return segments.take();
}

void Packer::finish_packing(const HaloMessages& messages, Channel& channel,
                            std::uint64_t fingerprint) {
  for (std::size_t k = 0; k < messages.outgoing.size(); ++k)
    std::memcpy(channel.outgoing(k).data(), &fingerprint, sizeof fingerprint);
}

std::vector<std::uint64_t> Packer::fingerprints(const HaloMessages& messages,
                                                const Channel& channel) {
  std::vector<std::uint64_t> arrived(messages.incoming.size());
  for (std::size_t k = 0; k < arrived.size(); ++k)
    std::memcpy(&arrived[k], channel.incoming(k).data(), sizeof arrived[k]);
  return arrived;
}

HaloExchange::HaloExchange(Communicator& communicator, HaloMessages messages,
                           std::unique_ptr<Packer> packer)
    : communicator_(communicator),
      messages_(std::move(messages)),
      packer_(std::move(packer)),
      channel_(communicator.open_channel(
          peers_of(messages_.outgoing), peers_of(messages_.incoming),
          [this](std::size_t bytes) { return packer_->allocate(bytes); })) {
  for (const auto& message : messages_.incoming) bytes_received_ += message.bytes;
  try {
    packer_->prepare(messages_, *channel_);
  } catch (...) {
    packer_.reset();  // its work may use the buffers
    throw;
  }
}

void HaloExchange::pack(std::uint64_t fingerprint) {
  fingerprint_ = fingerprint;
  packer_->pack(messages_, *channel_);
  packed_ = true;
}

void HaloExchange::send() {
  if (!packed_) return;
  packer_->finish_packing(messages_, *channel_, fingerprint_);
  packed_ = false;
  channel_->start();
}

void HaloExchange::finish() {
  channel_->wait();
  const auto arrived = packer_->fingerprints(messages_, *channel_);
  const auto other =
      std::ranges::find_if(arrived, [&](auto received) { return received != fingerprint_; });
  if (other != arrived.end())
    communicator_.watch().report_mismatch(messages_.incoming[other - arrived.begin()].rank);
  const double begin = communicator_.seconds();
  packer_->unpack(messages_, *channel_);
  unpacking_seconds_ = communicator_.seconds() - begin;
}

}  // namespace op2::comm
