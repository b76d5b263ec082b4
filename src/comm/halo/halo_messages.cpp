// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/halo_messages.hpp>

#include <map>
#include <utility>

#include <core/arithmetic.hpp>

namespace op2::comm {
namespace {

/// Segments begin at multiples of this many bytes.
constexpr std::size_t segment_alignment = 16;

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
    return core::round_up(rows * static_cast<std::size_t>(segment.dat->size), segment_alignment);
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

}  // namespace

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

}  // namespace op2::comm
