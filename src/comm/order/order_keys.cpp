// SPDX-License-Identifier: BSD-3-Clause
#include <comm/order/order_keys.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <iterator>
#include <limits>

#include <comm/messages/records.hpp>
#include <comm/messages/reduce_values.hpp>
#include <comm/order/declared_graph.hpp>
#include <comm/partition/rendezvous.hpp>

namespace op2::comm {

namespace {

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

}  // namespace

std::vector<std::int32_t> positions_by_key(Communicator& ranks, const Blocks& set,
                                           std::span<const std::int64_t> keys) {
  const GlobalId begin = set.begin[static_cast<std::size_t>(ranks.rank())];
  std::vector<Item> items;
  items.reserve(keys.size());
  for (const std::int64_t key : keys) items.push_back({key, begin + std::ssize(items)});
  std::ranges::sort(items);
  std::vector<std::vector<Item>> leaving(static_cast<std::size_t>(ranks.size()));
  const std::vector<Item> first = first_items(ranks, items);
  for (const Item& item : items)
    leaving[static_cast<std::size_t>(std::ranges::upper_bound(first, item) - first.begin())]
        .push_back(item);
  items.clear();
  for (const Message& message : ranks.exchange(messages_of(leaving)))
    for (const Item& item : from_bytes<Item>(message.bytes)) items.push_back(item);
  std::ranges::sort(items);
  auto place = static_cast<std::int32_t>(ranks.partial_sum(std::ssize(items)).before);
  Rendezvous<std::int32_t> letters(ranks, set);
  for (const Item& item : items) letters.send(item.id, place++);
  return letters.deliver(ranks).values;
}

namespace {

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

}  // namespace

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

namespace {

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

const DeclaredMap* map_to(const DeclaredMaps& mesh, int set) {
  const auto found = std::ranges::find_if(
      mesh.maps, [&](const DeclaredMap& map) { return map.from == mesh.ordered && map.to == set; });
  return found == mesh.maps.end() ? nullptr : &*found;
}

/// The keys of first targets. Collective.
/// @param keys  of the elements of the map's target set that this rank declares
std::vector<std::int64_t> keys_behind(const DeclaredMaps& mesh, const DeclaredMap& map,
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

}  // namespace

std::optional<std::vector<std::int64_t>> coordinate_keys(const DeclaredMaps& mesh,
                                                         const Coordinates& coordinates) {
  if (coordinates.set < 0) return {};
  if (coordinates.set == mesh.ordered) return positions_on_curve(mesh.ranks, coordinates);
  const DeclaredMap* const map = map_to(mesh, coordinates.set);
  if (map == nullptr) return {};
  return keys_behind(mesh, *map, positions_on_curve(mesh.ranks, coordinates));
}

namespace {

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
           (keys_[next_] != last_key || graph_.neighbours_of(next_).empty()))
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
      const std::int64_t value = values[static_cast<std::size_t>(v)];
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
    for (const std::int32_t v : search_.reached())
      level_[static_cast<std::size_t>(v)] = search_.distances()[static_cast<std::size_t>(v)];
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

}  // namespace

std::optional<std::vector<std::int64_t>> level_keys(const DeclaredMaps& mesh,
                                                    const DeclaredGraph& graph) {
  return LevelKeys(mesh, graph).run();
}

}  // namespace op2::comm
