// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/halo_messages.hpp>

#include <map>
#include <utility>

#include <core/round_up.hpp>

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
    auto& mine = messages_[rank];
    if (mine.empty() || grouping_ == core::Grouping::separate)
      mine.push_back({rank, message_header, {}});
    segment.offset = mine.back().bytes;
    mine.back().bytes +=
        core::round_up(rows * static_cast<std::size_t>(segment.dat->size), segment_alignment);
    mine.back().segments.push_back(segment);
  }

  std::vector<HaloMessage<Segment>> take() {
    std::vector<HaloMessage<Segment>> all;
    for (auto& [rank, mine] : messages_)
      for (auto& message : mine) all.push_back(std::move(message));
    return all;
  }

 private:
  core::Grouping grouping_;
  std::map<int, std::vector<HaloMessage<Segment>>> messages_;
};

}  // namespace

HaloMessages halo_messages(const HaloPlan& plan, const std::vector<DatLayers>& layers,
                           core::Grouping grouping) {
  MessageBuilder<ListSegment> outgoing(grouping);
  MessageBuilder<RangeSegment> incoming(grouping);
  HaloMessages messages;
  for (const DatLayers& layer : layers) {
    const IndexMap& set = plan.sets[layer.dat->set->index];
    for (core::Level h = layer.from + 1; h <= layer.to; ++h) {
      const HaloLevel& level = set.levels[h - 1];
      for (const ExportList& list : level.exports) {
        outgoing.add(list.rank, {layer.dat, 0, list.rows}, list.rows.size());
        messages.rows += std::ssize(list.rows);
      }
      for (const ImportRange& r : level.imports)
        incoming.add(r.rank, {layer.dat, 0, r.begin, r.count}, static_cast<std::size_t>(r.count));
    }
  }
  messages.outgoing = outgoing.take();
  messages.incoming = incoming.take();
  for (const auto& message : messages.outgoing) messages.bytes += message.bytes;
  return messages;
}

}  // namespace op2::comm
