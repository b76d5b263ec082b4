// SPDX-License-Identifier: BSD-3-Clause
#include <comm/order/declared_graph.hpp>

#include <algorithm>
#include <numeric>

#include <comm/partition/rendezvous.hpp>
#include <core/error.hpp>

namespace op2::comm {
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

}  // namespace op2::comm
