// SPDX-License-Identifier: BSD-3-Clause
#include <comm/order/declared_graph.hpp>

#include <algorithm>
#include <numeric>

#include <comm/messages/records.hpp>
#include <comm/partition/rendezvous.hpp>
#include <core/error.hpp>

namespace op2::comm {

NeighbourPairs::NeighbourPairs(const DeclaredMaps& mesh) : mesh_(mesh) {
  if (!maps_have_few_entries()) return;
  for (const DeclaredMap& map : mesh.maps)
    if (map.from == mesh.ordered) add_sharing(map);
}

bool NeighbourPairs::maps_have_few_entries() const {
  std::int64_t entries = 0;
  for (const DeclaredMap& map : mesh_.maps)
    if (counts(map)) entries += std::ssize(map.targets);
  return mesh_.ranks.sum(entries, "counting neighbours") < mesh_.blocks().size();
}

void NeighbourPairs::add_sharing(const DeclaredMap& map) {
  Rendezvous<GlobalId> sources(mesh_.ranks, mesh_.blocks_of(map.to));
  GlobalId element = mesh_.first_of(map.from);
  for (auto row = map.targets; !row.empty(); row = row.subspan(map.arity), ++element)
    for (const GlobalId target : row.first(map.arity)) sources.send(target, element);
  Ragged<GlobalId> at_target = sources.deliver(mesh_.ranks);
  for (std::size_t target = 0; target < at_target.rows(); ++target) {
    const auto elements = at_target.row(target);
    std::ranges::sort(elements);
    for (std::size_t k = 1; k < elements.size(); ++k)
      if (elements[k - 1] != elements[k]) sharing_.emplace_back(elements[k - 1], elements[k]);
  }
}

namespace {

/// Calls action(declared, other) for each end of a pair that this rank declares.
template <class Action>
void for_declared_ends(const DeclaredMaps& mesh, const NeighbourPairs& pairs,
                       const Action& action) {
  const int rank = mesh.ranks.rank();
  pairs.for_each([&](GlobalId a, GlobalId b) {
    if (mesh.blocks().declares(rank, a)) action(a, b);
    if (mesh.blocks().declares(rank, b)) action(b, a);
  });
}

/// What pairs of other ranks say about the elements declared here.
Ragged<GlobalId> neighbours_by_others(const DeclaredMaps& mesh, const NeighbourPairs& pairs) {
  const int rank = mesh.ranks.rank();
  Rendezvous<GlobalId> letters(mesh.ranks, mesh.blocks());
  pairs.for_each([&](GlobalId a, GlobalId b) {
    if (!mesh.blocks().declares(rank, a)) letters.send(a, b);
    if (!mesh.blocks().declares(rank, b)) letters.send(b, a);
  });
  return letters.deliver(mesh.ranks);
}

std::vector<DeclaredGraph::Remote> located(std::vector<GlobalId> ids, const Blocks& blocks) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::vector<DeclaredGraph::Remote> remote;
  remote.reserve(ids.size());
  for (const GlobalId id : ids) {
    const int rank = blocks.declaring_rank(id);
    const GlobalId first = blocks.begin[static_cast<std::size_t>(rank)];
    remote.push_back({id, rank, static_cast<std::int32_t>(id - first)});
  }
  return remote;
}

}  // namespace

DeclaredGraph graph_of(const DeclaredMaps& mesh, const NeighbourPairs& pairs) {
  const GlobalId begin = mesh.first_of(mesh.ordered);
  const int rank = mesh.ranks.rank();
  const Ragged<GlobalId> others = neighbours_by_others(mesh, pairs);
  std::vector<GlobalId> away;
  const auto note = [&](GlobalId id) {
    if (!mesh.blocks().declares(rank, id)) away.push_back(id);
  };
  DeclaredGraph graph{std::vector<std::int64_t>(mesh.declared() + 2, 0), {}, {}};
  for_declared_ends(mesh, pairs, [&](GlobalId a, GlobalId b) {
    ++graph.first[static_cast<std::size_t>(a - begin) + 2];
    note(b);
  });
  for (std::size_t v = 0; v < others.rows(); ++v) graph.first[v + 2] += std::ssize(others.row(v));
  std::ranges::for_each(others.values, note);
  std::partial_sum(graph.first.begin(), graph.first.end(), graph.first.begin());
  graph.neighbours.resize(static_cast<std::size_t>(graph.first.back()));
  graph.remote = located(std::move(away), mesh.blocks());
  core::ensure(std::in_range<std::int32_t>(graph.remote.size()),
               "a rank's elements have more than 2^31 neighbours on others");
  const auto add = [&](GlobalId a, GlobalId b) {
    std::int64_t& next = graph.first[static_cast<std::size_t>(a - begin) + 1];
    const bool here = mesh.blocks().declares(rank, b);
    graph.neighbours[static_cast<std::size_t>(next++)] =
        here ? static_cast<std::int32_t>(b - begin)
             : static_cast<std::int32_t>(
                   -1 - (std::ranges::lower_bound(graph.remote, b, {}, &DeclaredGraph::Remote::id) -
                         graph.remote.begin()));
  };
  for_declared_ends(mesh, pairs, add);
  for (std::size_t v = 0; v < others.rows(); ++v)
    for (const GlobalId b : others.row(v)) add(begin + static_cast<GlobalId>(v), b);
  graph.first.pop_back();
  return graph;
}

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
    for (const std::int32_t neighbour :
         graph_.neighbours_of(static_cast<std::size_t>(reached_[k]))) {
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
    const std::int64_t farthest =
        ranks_.maximum(reached_.empty() ? 0 : distance_[static_cast<std::size_t>(reached_.back())],
                       "whether a search goes on");
    if (farthest < distance) return static_cast<std::int32_t>(farthest);
  }
}

}  // namespace op2::comm
