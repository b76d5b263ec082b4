// SPDX-License-Identifier: BSD-3-Clause
#include <comm/order/canonical_order.hpp>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <comm/messages/records.hpp>
#include <comm/order/declared_graph.hpp>
#include <comm/order/order_keys.hpp>
#include <comm/partition/rendezvous.hpp>

namespace op2::comm {

namespace {

/// The largest integer whose square is at most `number`, which is below 2^62.
std::uint64_t root_of(std::uint64_t number) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 30; bit != 0; bit >>= 1)
    if ((root + bit) * (root + bit) <= number) root += bit;
  return root;
}

}  // namespace

void DistanceSum::combine(Communicator& ranks) {
  const WideSum mine = sum_.carried();
  WordReduction words{
      {static_cast<std::int64_t>(mine.high), static_cast<std::int64_t>(mine.low), pairs_}, {}, {}};
  ranks.reduce(words, "adding distances of neighbours");
  sum_ =
      WideSum{static_cast<std::uint64_t>(words.sums[0]), static_cast<std::uint64_t>(words.sums[1])}
          .carried();
  pairs_ = words.sums[2];
}

bool DistanceSum::is_good(std::int64_t elements) const {
  const WideSum count = WideSum{0, static_cast<std::uint64_t>(pairs_)}.carried();
  return sum_ <= count.times(root_of(4 * static_cast<std::uint64_t>(elements)));
}

namespace {

using Places = std::vector<std::int32_t>;

/// Between neighbours in the declared order. Each pair counts twice. Collective.
DistanceSum declared_distances(const DeclaredMaps& mesh, const NeighbourPairs& pairs) {
  DistanceSum sum;
  pairs.for_each([&](GlobalId a, GlobalId b) {
    sum.add(a, b);
    sum.add(b, a);  // as DistancesInGraph
  });
  sum.combine(mesh.ranks);
  return sum;
}

/// Between neighbours in an order. Each pair counts twice.
class DistancesInGraph {
 public:
  /// Collective. Cost: one exchange.
  DistancesInGraph(const DeclaredMaps& mesh, const DeclaredGraph& graph)
      : mesh_(mesh), graph_(graph), remote_(mesh.ranks, mesh.blocks(), ids_of(graph)) {}

  /// Collective. Cost: one exchange and linear work.
  DistanceSum in(const Places& places) const {
    const auto remote = from_bytes<std::int32_t>(
        remote_.rows(std::as_bytes(std::span(places)), sizeof(std::int32_t)));
    DistanceSum sum;
    for (std::size_t v = 0; v < graph_.vertices(); ++v)
      for (const std::int32_t neighbour : graph_.neighbours_of(v))
        sum.add(places[v], neighbour >= 0 ? places[static_cast<std::size_t>(neighbour)]
                                          : remote[static_cast<std::size_t>(-1 - neighbour)]);
    sum.combine(mesh_.ranks);
    return sum;
  }

 private:
  static std::vector<GlobalId> ids_of(const DeclaredGraph& graph) {
    std::vector<GlobalId> ids;
    for (const DeclaredGraph::Remote& remote : graph.remote) ids.push_back(remote.id);
    return ids;
  }

  const DeclaredMaps& mesh_;
  const DeclaredGraph& graph_;
  RowRequest remote_;
};

}  // namespace

std::optional<Places> choose_canonical_order(const DeclaredMaps& mesh,
                                             const Coordinates& coordinates) {
  const NeighbourPairs pairs(mesh);
  const DistanceSum before = declared_distances(mesh, pairs);
  if (before.is_good(mesh.blocks().size())) return {};
  const DeclaredGraph graph = graph_of(mesh, pairs);
  const DistancesInGraph distances(mesh, graph);
  const std::function<std::optional<std::vector<std::int64_t>>()> orders[] = {
      [&] { return level_keys(mesh, graph); }, [&] { return coordinate_keys(mesh, coordinates); }};
  std::optional<Places> best;
  DistanceSum least = before;
  for (const auto& keys_of : orders) {
    const auto keys = keys_of();
    if (!keys) continue;
    Places places = positions_by_key(mesh.ranks, mesh.blocks(), *keys);
    const DistanceSum sum = distances.in(places);
    if (!before.is_much_worse_than(sum) || sum.sum() >= least.sum()) continue;
    best = std::move(places);
    least = sum;
    if (least.is_good(mesh.blocks().size())) break;
  }
  return best;
}

}  // namespace op2::comm
