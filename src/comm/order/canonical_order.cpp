// SPDX-License-Identifier: BSD-3-Clause
#include <comm/order/canonical_order.hpp>

#include <algorithm>
#include <cmath>
#include <compare>
#include <functional>
#include <iterator>
#include <utility>

#include <comm/messages/records.hpp>
#include <comm/messages/reduce_values.hpp>
#include <comm/partition/rendezvous.hpp>
#include <core/error.hpp>
#include <core/inverse_map.hpp>

namespace op2::comm {

namespace {

/// Pairs of neighbours (choose_canonical_order), spread over the ranks in any way. Which pairs
/// there are depends on the mesh alone.
class NeighbourPairs {
 public:
  /// Collective. Cost: a reduction, and two passes over the maps if elements that share targets
  /// count.
  /// @param mesh  outlives this object
  explicit NeighbourPairs(const DeclaredMaps& mesh) : mesh_(mesh) {
    std::int64_t entries = 0;
    for (const MapView& map : mesh.maps)
      if (counts(map)) entries += std::ssize(map.targets);
    if (mesh.ranks.sum(entries, "counting neighbours") >= mesh.blocks().size()) return;
    for (const MapView& map : mesh.maps)
      if (map.from == mesh.ordered) add_sharing(map);
  }

  /// Calls action(a, b) with global indices a != b for the pairs of this rank; a pair may come
  /// several times. Local.
  template <class Action>
  void for_each(const Action& action) const {
    for (const MapView& map : mesh_.maps) {
      if (!counts(map)) continue;
      if (map.from == mesh_.ordered)
        for_elements_and_targets(map, action);
      else
        for_rows(map, action);
    }
    for (const auto& [a, b] : sharing_) action(a, b);
  }

 private:
  bool counts(const MapView& map) const {
    return map.to == mesh_.ordered && (map.arity > 1 || map.from == mesh_.ordered);
  }

  void add_sharing(const MapView& map) {
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

  template <class Action>
  void for_elements_and_targets(const MapView& map, const Action& action) const {
    GlobalId element = mesh_.first_of(map.from);
    for (auto row = map.targets; !row.empty(); row = row.subspan(map.arity), ++element)
      for (const GlobalId target : row.first(map.arity))
        if (target != element) action(element, target);
  }

  template <class Action>
  static void for_rows(const MapView& map, const Action& action) {
    const auto arity = static_cast<std::size_t>(map.arity);
    const std::size_t pairs = arity == 2 ? 1 : arity;  // of a row
    for (auto row = map.targets; !row.empty(); row = row.subspan(arity))
      for (std::size_t k = 0; k < pairs; ++k) {
        const GlobalId a = row[k], b = row[k + 1 == arity ? 0 : k + 1];
        if (a != b) action(a, b);
      }
  }

  const DeclaredMaps& mesh_;
  std::vector<std::pair<GlobalId, GlobalId>> sharing_;  ///< neighbours that share a target
};

/// Vertices are the declared elements, by their positions in the block.
struct DeclaredGraph {
  /// A neighbour that another rank declares.
  struct Remote {
    GlobalId id;
    std::int32_t rank, vertex;  ///< that rank, and its vertex
  };
  /// Of each vertex, with repetitions: vertices, or -1 - k for remote[k].
  Ragged<std::int32_t> neighbours;
  std::vector<Remote> remote;  ///< ascending, each once

  std::size_t vertices() const { return neighbours.rows(); }
};

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

/// @param ids  ascending
std::vector<DeclaredGraph::Remote> located(const std::vector<GlobalId>& ids, const Blocks& blocks) {
  std::vector<DeclaredGraph::Remote> remote;
  remote.reserve(ids.size());
  for (const GlobalId id : ids) {
    const int rank = blocks.declaring_rank(id);
    const GlobalId first = blocks.begin[rank];
    remote.push_back({id, rank, static_cast<std::int32_t>(id - first)});
  }
  return remote;
}

/// Symmetric. Collective. Cost: one exchange, and 4 bytes for each pair and each of its ends.
DeclaredGraph declared_graph(const DeclaredMaps& mesh, const NeighbourPairs& pairs) {
  const GlobalId begin = mesh.first_of(mesh.ordered);
  const int rank = mesh.ranks.rank();
  const Ragged<GlobalId> others = neighbours_by_others(mesh, pairs);
  const auto for_arcs = [&](const auto& action) {  // (vertex, global index of a neighbour)
    pairs.for_each([&](GlobalId a, GlobalId b) {
      if (mesh.blocks().declares(rank, a)) action(a - begin, b);
      if (mesh.blocks().declares(rank, b)) action(b - begin, a);
    });
    for (std::size_t v = 0; v < others.rows(); ++v)
      for (const GlobalId b : others.row(v)) action(static_cast<GlobalId>(v), b);
  };
  DeclaredGraph graph;
  if (mesh.ranks.size() > 1) {
    std::vector<GlobalId> ids;
    for_arcs([&](GlobalId, GlobalId b) {
      if (!mesh.blocks().declares(rank, b)) ids.push_back(b);
    });
    graph.remote = located(declared_elsewhere(mesh.blocks(), rank, std::move(ids)), mesh.blocks());
  }
  core::ensure(std::in_range<std::int32_t>(graph.remote.size()),
               "a rank's elements have more than 2^31 neighbours on others");
  const auto number_of = [&](GlobalId b) {
    if (mesh.blocks().declares(rank, b)) return static_cast<std::int32_t>(b - begin);
    const auto found = std::ranges::lower_bound(graph.remote, b, {}, &DeclaredGraph::Remote::id);
    return static_cast<std::int32_t>(-1 - (found - graph.remote.begin()));
  };
  graph.neighbours = {
      core::invert<std::int32_t, std::int64_t>(mesh.declared(), [&](const auto& add) {
        for_arcs([&](GlobalId vertex, GlobalId b) { add(vertex, number_of(b)); });
      })};
  return graph;
}

/// Breadth-first searches, one after the other. All members but the last are collective.
class BreadthFirst {
 public:
  /// Both must outlive it.
  /// @param most_rounds  of messages, in all searches
  BreadthFirst(Communicator& ranks, const DeclaredGraph& graph, std::int64_t most_rounds)
      : ranks_(ranks),
        graph_(graph),
        rounds_left_(most_rounds),
        distance_(graph.vertices(), -1),
        told_(graph.remote.size(), 0),
        leaving_(static_cast<std::size_t>(ranks.size())) {}

  /// Distances from a vertex. Cost: an exchange for each distance, some reductions, and linear
  /// work.
  /// @param root  of this rank; -1 on the others
  /// @return the largest distance; nothing, on all ranks, if there were too many rounds
  std::optional<std::int32_t> search(std::int32_t root) {
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
      const std::int64_t farthest = ranks_.maximum(
          reached_.empty() ? 0 : distance_[reached_.back()], "whether a search goes on");
      if (farthest < distance) return static_cast<std::int32_t>(farthest);
    }
  }

  /// Of each vertex in the last search: -1 if it was not reached.
  const std::vector<std::int32_t>& distances() const { return distance_; }
  /// The vertices of this rank that the last search reached.
  std::span<const std::int32_t> reached() const { return reached_; }

 private:
  /// Rounds in which nobody is reached any more cost little; asking whether there are costs a
  /// reduction.
  static constexpr std::int32_t rounds_before_asking = 8;

  void clear() {
    for (const std::int32_t vertex : reached_) distance_[vertex] = -1;
    for (const std::int32_t k : told_list_) told_[k] = 0;
    reached_.clear();
    told_list_.clear();
  }

  void reach(std::int32_t vertex, std::int32_t distance) {
    std::int32_t& known = distance_[vertex];
    if (known >= 0) return;
    known = distance;
    reached_.push_back(vertex);
  }

  /// Of reached_[begin, end).
  void visit_neighbours(std::size_t begin, std::size_t end, std::int32_t distance) {
    for (std::size_t k = begin; k < end; ++k)
      for (const std::int32_t neighbour :
           graph_.neighbours.row(static_cast<std::size_t>(reached_[k]))) {
        if (neighbour >= 0) {
          reach(neighbour, distance);
          continue;
        }
        const std::int32_t remote = -1 - neighbour;
        if (told_[remote] != 0) continue;
        told_[remote] = 1;
        told_list_.push_back(remote);
        const DeclaredGraph::Remote& there = graph_.remote[remote];
        leaving_[there.rank].push_back(there.vertex);
      }
  }

  Communicator& ranks_;
  const DeclaredGraph& graph_;
  std::int64_t rounds_left_;
  std::vector<std::int32_t> distance_;
  std::vector<std::int32_t> reached_;  ///< ascending distances
  std::vector<char> told_;             ///< remote neighbours that know that they are reached
  std::vector<std::int32_t> told_list_;
  std::vector<std::vector<std::int32_t>> leaving_;  ///< vertices of each rank that are reached next
};

constexpr std::size_t samples_of_a_rank = 32;

struct Item {
  std::int64_t key;
  GlobalId id;
  auto operator<=>(const Item&) const = default;
};

/// The first item of each rank but the first one.
std::vector<Item> first_items(Communicator& ranks, const std::vector<Item>& sorted) {
  std::array<Item, samples_of_a_rank> mine;
  mine.fill({last_key, -1});
  for (std::size_t k = 0; k < mine.size() && !sorted.empty(); ++k)
    mine[k] = sorted[k * sorted.size() / mine.size()];
  std::vector<Item> samples;
  for (const auto& some : gather_records(ranks, mine))
    std::ranges::copy_if(some, std::back_inserter(samples),
                         [](const Item& item) { return item.id >= 0; });
  std::ranges::sort(samples);
  std::vector<Item> first;
  const auto count = static_cast<std::size_t>(ranks.size());
  for (std::size_t rank = 1; rank < count && !samples.empty(); ++rank)
    first.push_back(samples[rank * samples.size() / count]);
  return first;
}

// After J. Skilling, Programming the Hilbert curve, AIP Conference Proceedings 707 (2004): the bits
// of the position are those of the coordinates, from the highest on, each plane of bits reflected
// and with its axes exchanged as the planes above it demand.
using Point = std::array<std::uint32_t, 3>;

/// Undoes reflections and exchanges of axes, from the highest bit down to the second.
void unfold(Point& x, std::size_t dim, std::uint32_t highest) {
  for (std::uint32_t bit = highest; bit > 1; bit >>= 1) {
    const std::uint32_t lower = bit - 1;
    for (std::size_t d = 0; d < dim; ++d) {
      if ((x[d] & bit) != 0) {
        x[0] ^= lower;
      } else {
        const std::uint32_t exchanged = (x[0] ^ x[d]) & lower;
        x[0] ^= exchanged;
        x[d] ^= exchanged;
      }
    }
  }
}

/// From Gray code in the planes of bits to binary numbers.
void decode(Point& x, std::size_t dim, std::uint32_t highest) {
  for (std::size_t d = 1; d < dim; ++d) x[d] ^= x[d - 1];
  std::uint32_t flipped = 0;
  for (std::uint32_t bit = highest; bit > 1; bit >>= 1)
    if ((x[dim - 1] & bit) != 0) flipped ^= bit - 1;
  for (std::size_t d = 0; d < dim; ++d) x[d] ^= flipped;
}

/// A cube around all finite coordinates.
struct Cube {
  std::array<double, 3> half_low;  ///< half of each lower bound, so that no difference overflows
  double half_width = 0;

  /// @param dim  of the coordinates, for the number of steps
  std::uint32_t steps(double coordinate, std::size_t d, int dim) const {
    const int bits = hilbert_bits(dim);
    const double most = std::ldexp(1.0, bits) - 1;
    const double part = (coordinate / 2 - half_low[d]) / half_width;  // NaN: no width
    const double scaled = std::ldexp(part, bits);
    return scaled > 0 ? static_cast<std::uint32_t>(std::min(scaled, most)) : 0U;
  }
};

/// Collective.
Cube cube_around(Communicator& ranks, const Coordinates& coordinates) {
  const auto dim = static_cast<std::size_t>(coordinates.dim);
  constexpr double largest = std::numeric_limits<double>::max();
  std::vector<double> low(dim, largest), high(dim, -largest);
  for (std::size_t k = 0; k < coordinates.values.size(); ++k) {
    const double value = coordinates.values[k];
    if (!std::isfinite(value)) continue;
    low[k % dim] = std::min(low[k % dim], value);
    high[k % dim] = std::max(high[k % dim], value);
  }
  const FoldedValues bounds[] = {{Type::f64, Fold::least, coordinates.dim, low.data()},
                                 {Type::f64, Fold::greatest, coordinates.dim, high.data()}};
  reduce_values(ranks, bounds);
  Cube cube{};
  for (std::size_t d = 0; d < dim; ++d) {
    cube.half_low[d] = low[d] / 2;
    cube.half_width = std::max(cube.half_width, high[d] / 2 - cube.half_low[d]);
  }
  return cube;
}

/// Of the elements that have the coordinates.
std::vector<std::int64_t> positions_on_curve(Communicator& ranks, const Coordinates& coordinates) {
  const Cube cube = cube_around(ranks, coordinates);
  const auto dim = static_cast<std::size_t>(coordinates.dim);
  std::vector<std::int64_t> keys(coordinates.values.size() / dim);
  for (std::size_t element = 0; element < keys.size(); ++element) {
    const auto x = coordinates.values.subspan(element * dim, dim);
    std::array<std::uint32_t, 3> point{};
    for (std::size_t d = 0; d < dim; ++d) point[d] = cube.steps(x[d], d, coordinates.dim);
    const bool unknown = std::ranges::any_of(x, [](double value) { return std::isnan(value); });
    keys[element] = unknown ? last_key : hilbert_position(point, coordinates.dim);
  }
  return keys;
}

const MapView* map_to(const DeclaredMaps& mesh, int set) {
  const auto found = std::ranges::find_if(
      mesh.maps, [&](const MapView& map) { return map.from == mesh.ordered && map.to == set; });
  return found == mesh.maps.end() ? nullptr : &*found;
}

/// The keys of first targets. Collective.
/// @param keys  of the elements of the map's target set that this rank declares
std::vector<std::int64_t> keys_behind(const DeclaredMaps& mesh, const MapView& map,
                                      const std::vector<std::int64_t>& keys) {
  const auto arity = static_cast<std::size_t>(map.arity);
  std::vector<GlobalId> wanted;
  for (std::size_t k = 0; k < map.targets.size(); k += arity) wanted.push_back(map.targets[k]);
  const ValueLookup<std::int64_t> lookup(mesh.ranks, mesh.blocks_of(map.to), keys, wanted);
  std::vector<std::int64_t> found;
  found.reserve(wanted.size());
  for (const GlobalId id : wanted) found.push_back(lookup.value_of(id));
  return found;
}

/// Of each declared element of the ordered set: its position on a Hilbert curve through the finite
/// coordinates. Infinite ones are at the sides of the box; elements with NaN come last. If the
/// coordinates are those of another set, the first target in it counts. The same for any ranks:
/// numbers are compared, and subtracted and divided one by one. Collective. Cost: linear work, a
/// reduction, and if coordinates are those of another set two exchanges.
/// @return nothing, on all ranks, if there are no coordinates or no map leads to those
std::optional<std::vector<std::int64_t>> coordinate_keys(const DeclaredMaps& mesh,
                                                         const Coordinates& coordinates) {
  if (coordinates.set < 0) return {};
  if (coordinates.set == mesh.ordered) return positions_on_curve(mesh.ranks, coordinates);
  const MapView* const map = map_to(mesh, coordinates.set);
  if (map == nullptr) return {};
  return keys_behind(mesh, *map, positions_on_curve(mesh.ranks, coordinates));
}

/// Searches need a round of messages for each distance; with more than these, in all searches,
/// there are no keys.
constexpr std::int64_t most_search_rounds = std::int64_t{1} << 18;

/// Keys by which to sort the elements; of equal ones, the global index decides. Connected parts of
/// the graph follow each other in the order of their lowest indices. In each, elements are sorted
/// by their distance from one end of it, as Cuthill and McKee do, and of equal distance by that
/// from another root. Roots are the element farthest from that with the lowest index, then thrice
/// the one farthest from all roots before it; of several, that with the lowest index. The first
/// gives the first distance, the last the second. Elements without neighbours come last.
/// Collective. Cost: five searches of each part.
class LevelKeys {
 public:
  LevelKeys(const DeclaredMaps& mesh, const DeclaredGraph& graph)
      : ranks_(mesh.ranks),
        begin_(mesh.first_of(mesh.ordered)),
        graph_(graph),
        search_(mesh.ranks, graph, most_search_rounds),
        keys_(graph.vertices(), last_key),
        level_(graph.vertices(), none),
        nearest_(graph.vertices(), none) {}

  /// Of each vertex; nothing, on all ranks, if there are too many distances.
  std::optional<std::vector<std::int64_t>> run() {
    for (GlobalId root = next_root(); root != none; root = next_root())
      if (!add_part(root)) return {};
    return std::move(keys_);
  }

 private:
  static constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();

  /// The lowest index of an element that has neighbours and no key; `none` if there is none.
  GlobalId next_root() {
    while (next_ < keys_.size() &&
           (keys_[next_] != last_key || graph_.neighbours.row(next_).empty()))
      ++next_;
    return ranks_.minimum(next_ < keys_.size() ? begin_ + static_cast<GlobalId>(next_) : none,
                          "the next part of the mesh");
  }

  /// Its vertex on the rank that declares it; -1 on others.
  std::int32_t vertex_of(GlobalId element) const {
    const GlobalId vertex = element - begin_;
    return vertex >= 0 && vertex < std::ssize(keys_) ? static_cast<std::int32_t>(vertex) : -1;
  }

  /// The element of the part with the largest value; of several, that with the lowest index.
  GlobalId farthest(const std::vector<std::int32_t>& values) {
    std::int64_t mine = -1;
    for (const std::int32_t v : search_.reached()) {
      const std::int64_t value = values[v];
      mine = std::max(mine, value << 31 | (none - (begin_ + v)));
    }
    return none - (ranks_.maximum(mine, "the farthest element") & none);
  }

  /// Searches from a root, which counts for `nearest_` from now on.
  std::optional<std::int32_t> search_from(GlobalId root) {
    const auto depth = search_.search(vertex_of(root));
    for (const std::int32_t vertex : search_.reached()) {
      const auto v = static_cast<std::size_t>(vertex);
      nearest_[v] = std::min(nearest_[v], search_.distances()[v]);
    }
    return depth;
  }

  /// Gives keys to all that are connected with an element. @return whether rounds sufficed
  bool add_part(GlobalId lowest) {
    if (!search_.search(vertex_of(lowest))) return false;
    const auto depth = search_from(farthest(search_.distances()));
    if (!depth) return false;
    for (const std::int32_t v : search_.reached()) level_[v] = search_.distances()[v];
    for (int root = 0; root < 3; ++root)
      if (!search_from(farthest(nearest_))) return false;
    for (const std::int32_t vertex : search_.reached()) {
      const auto v = static_cast<std::size_t>(vertex);
      keys_[v] = (levels_ + level_[v]) << 32 | search_.distances()[v];
    }
    levels_ += *depth + 1;
    return true;
  }

  Communicator& ranks_;
  const GlobalId begin_;
  const DeclaredGraph& graph_;
  BreadthFirst search_;
  std::vector<std::int64_t> keys_;
  std::vector<std::int32_t> level_;    ///< of each vertex: the distance from the first root
  std::vector<std::int32_t> nearest_;  ///< and that from the nearest root
  std::int64_t levels_ = 0;            ///< of the parts so far
  std::size_t next_ = 0;               ///< the vertices before it have keys or no neighbours
};

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
      for (const std::int32_t neighbour : graph_.neighbours.row(v))
        sum.add(places[v], neighbour >= 0 ? places[neighbour] : remote[-1 - neighbour]);
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

std::vector<std::int32_t> positions_by_key(Communicator& ranks, const Blocks& set,
                                           std::span<const std::int64_t> keys) {
  const GlobalId begin = set.begin[ranks.rank()];
  std::vector<Item> items;
  items.reserve(keys.size());
  for (const std::int64_t key : keys) items.push_back({key, begin + std::ssize(items)});
  std::ranges::sort(items);
  std::vector<std::vector<Item>> leaving(static_cast<std::size_t>(ranks.size()));
  const std::vector<Item> first = first_items(ranks, items);
  for (const Item& item : items)
    leaving[std::ranges::upper_bound(first, item) - first.begin()].push_back(item);
  items.clear();
  for (const Message& message : ranks.exchange(messages_of(leaving)))
    for (const Item& item : from_bytes<Item>(message.bytes)) items.push_back(item);
  std::ranges::sort(items);
  auto place = static_cast<std::int32_t>(ranks.partial_sum(std::ssize(items)).before);
  Rendezvous<std::int32_t> letters(ranks, set);
  for (const Item& item : items) letters.send(item.id, place++);
  return letters.deliver(ranks).values;
}

std::int64_t hilbert_position(Point point, int dim) {
  const int bits = hilbert_bits(dim);
  const auto axes = static_cast<std::size_t>(dim);
  if (dim == 1) return point[0];
  unfold(point, axes, std::uint32_t{1} << (bits - 1));
  decode(point, axes, std::uint32_t{1} << (bits - 1));
  std::int64_t position = 0;
  for (int bit = bits - 1; bit >= 0; --bit)
    for (std::size_t d = 0; d < axes; ++d) position = position << 1 | (point[d] >> bit & 1U);
  return position;
}

void DistanceSum::combine(Communicator& ranks) {
  constexpr std::uint64_t low = 0xffffffffU;  // halves of words, so that sums of ranks fit
  const auto mine = static_cast<std::uint64_t>(sum_);
  WordReduction words{
      {static_cast<std::int64_t>(mine >> 32), static_cast<std::int64_t>(mine & low), pairs_},
      {},
      {}};
  ranks.reduce(words, "adding distances of neighbours");
  sum_ = (Wide(static_cast<std::uint64_t>(words.sums[0])) << 32) +
         static_cast<std::uint64_t>(words.sums[1]);
  pairs_ = words.sums[2];
}

bool DistanceSum::is_good(std::int64_t elements) const {
  const auto bound = static_cast<std::uint64_t>(std::sqrt(4.0 * static_cast<double>(elements)));
  return sum_ <= Wide(static_cast<std::uint64_t>(pairs_)) * bound;
}

std::optional<Places> choose_canonical_order(const DeclaredMaps& mesh,
                                             const Coordinates& coordinates) {
  const NeighbourPairs pairs(mesh);
  const DistanceSum before = declared_distances(mesh, pairs);
  if (before.is_good(mesh.blocks().size())) return {};
  const DeclaredGraph graph = declared_graph(mesh, pairs);
  const DistancesInGraph distances(mesh, graph);
  const std::function<std::optional<std::vector<std::int64_t>>()> orders[] = {
      [&] { return LevelKeys(mesh, graph).run(); },
      [&] { return coordinate_keys(mesh, coordinates); }};
  std::optional<Places> best;
  DistanceSum least = before;
  for (const auto& keys_of : orders) {
    const auto keys = keys_of();
    if (!keys) continue;
    Places places = positions_by_key(mesh.ranks, mesh.blocks(), *keys);
    const DistanceSum sum = distances.in(places);
    if (!before.is_much_worse_than(sum) || !(sum < least)) continue;
    best = std::move(places);
    least = sum;
    if (least.is_good(mesh.blocks().size())) break;
  }
  return best;
}

}  // namespace op2::comm
