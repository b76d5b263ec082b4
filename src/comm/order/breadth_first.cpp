// SPDX-License-Identifier: BSD-3-Clause
#include <comm/order/breadth_first.hpp>

#include <comm/messages/records.hpp>

namespace op2::comm {
namespace {

/// Rounds in which nobody is reached any more cost little; asking whether there are costs a
/// reduction.
constexpr std::int32_t rounds_before_asking = 8;

}  // namespace

BreadthFirst::BreadthFirst(Communicator& ranks, const DeclaredGraph& graph,
                           std::int64_t most_rounds)
    : ranks_(ranks),
      graph_(graph),
      rounds_left_(most_rounds),
      distance_(graph.vertices(), -1),
      told_(graph.remote.size(), 0),
      leaving_(static_cast<std::size_t>(ranks.size())) {}

void BreadthFirst::clear() {
  for (const std::int32_t vertex : reached_) distance_[static_cast<std::size_t>(vertex)] = -1;
  for (const std::int32_t k : told_list_) told_[static_cast<std::size_t>(k)] = 0;
  reached_.clear();
  told_list_.clear();
}

void BreadthFirst::reach(std::int32_t vertex, std::int32_t distance) {
  std::int32_t& known = distance_[static_cast<std::size_t>(vertex)];
  if (known >= 0) return;
  known = distance;
  reached_.push_back(vertex);
}

/// Of reached_[begin, end).
void BreadthFirst::visit_neighbours(std::size_t begin, std::size_t end, std::int32_t distance) {
  for (std::size_t k = begin; k < end; ++k)
    for (const std::int32_t neighbour : graph_.of(static_cast<std::size_t>(reached_[k]))) {
      if (neighbour >= 0) {
        reach(neighbour, distance);
        continue;
      }
      const std::int32_t remote = -1 - neighbour;
      if (told_[static_cast<std::size_t>(remote)] != 0) continue;
      told_[static_cast<std::size_t>(remote)] = 1;
      told_list_.push_back(remote);
      const DeclaredGraph::Remote& there = graph_.remote[static_cast<std::size_t>(remote)];
      leaving_[static_cast<std::size_t>(there.rank)].push_back(there.vertex);
    }
}

std::optional<std::int32_t> BreadthFirst::search(std::int32_t root) {
  clear();
  if (root >= 0) reach(root, 0);
  std::size_t begin = 0;
  for (std::int32_t distance = 1;; ++distance) {
    if (rounds_left_-- == 0) return {};
    const std::size_t end = reached_.size();
    visit_neighbours(begin, end, distance);
    for (const Message& message : ranks_.exchange(messages_of(leaving_)))
      for (const std::int32_t vertex : from_bytes<std::int32_t>(message.bytes))
        reach(vertex, distance);
    for (auto& vertices : leaving_) vertices.clear();
    begin = end;
    if (distance % rounds_before_asking != 0) continue;
    WordReduction words{
        {}, {}, {reached_.empty() ? 0 : distance_[static_cast<std::size_t>(reached_.back())]}};
    ranks_.reduce(words, "whether a search goes on");
    if (words.maxima[0] < distance) return static_cast<std::int32_t>(words.maxima[0]);
  }
}

}  // namespace op2::comm
