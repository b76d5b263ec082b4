// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/locality.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include <core/inverse_map.hpp>

namespace op2::comm {
namespace {

using Positions = std::vector<std::int32_t>;  ///< of each element; empty: its index

/// Sets of fewer elements fit into any cache.
constexpr std::int32_t few_elements = 4096;

/// The locality of a set is good if the elements that successive rows access are on average at most
/// this far apart: then they mostly share a cache line or two.
constexpr double good_step = 8;

/// The declared order of the largest set is kept if the mean distance of neighbours is below
/// good_band times the square root of its size, or below good_factor times that of a computed
/// order.
constexpr double good_band = 2, good_factor = 1.5;

std::int32_t position_of(const Positions& positions, std::int32_t element) {
  return positions.empty() ? element : positions[element];
}

/// Calls action(a, b) for elements of set `home` that a map makes neighbours: targets of one row,
/// and, if those are few, rows with a common target.
template <class Action>
void for_neighbours(const LocalMesh& mesh, int home, const Action& action) {
  const auto meet = [&](std::int32_t a, std::int32_t b) {
    if (a != b && a != MapView::remote && b != MapView::remote) action(a, b);
  };
  std::size_t met = 0;
  for (const MapView& map : mesh.maps) {
    if (map.to != home || (map.arity < 2 && map.from != home)) continue;
    met += map.targets.size();
    const std::size_t arity = map.arity;
    for (std::size_t k = 0; k < map.targets.size(); ++k)
      meet(map.targets[k], map.from == home       ? static_cast<std::int32_t>(k / arity)
                           : (k + 1) % arity != 0 ? map.targets[k + 1]
                                                  : map.targets[k + 1 - arity]);
  }
  if (std::cmp_greater_equal(met, mesh.sizes[home])) return;
  for (const MapView& map : mesh.maps) {
    if (map.from != home) continue;
    Positions last(mesh.sizes[map.to], MapView::remote);
    for (std::size_t k = 0; k < map.targets.size(); ++k) {
      if (map.targets[k] == MapView::remote) continue;
      const auto element = static_cast<std::int32_t>(k / map.arity);
      std::int32_t& before = last[map.targets[k]];
      meet(before, element);
      before = element;
    }
  }
}

struct Band {
  double width = 0;        ///< mean distance of neighbours
  std::int64_t pairs = 0;  ///< of neighbours
};

Band band_of(const LocalMesh& mesh, int home, const Positions& positions) {
  double sum = 0;
  std::int64_t count = 0;
  for_neighbours(mesh, home, [&](std::int32_t a, std::int32_t b) {
    sum += std::abs(position_of(positions, a) - position_of(positions, b));
    ++count;
  });
  return {count == 0 ? 0 : sum / static_cast<double>(count), count};
}

/// The neighbours of each element. Precondition: an int can count them.
Ragged<std::int32_t> graph_of(const LocalMesh& mesh, int home) {
  Ragged<std::int32_t> graph{core::invert<std::int32_t, std::int64_t>(
      static_cast<std::size_t>(mesh.sizes[home]), [&](const auto& add) {
        for_neighbours(mesh, home, [&](std::int32_t a, std::int32_t b) {
          add(a, b);
          add(b, a);
        });
      })};
  sort_and_unite(graph);
  return graph;
}

/// An order of the home set that is better than the given one.
Order order_of_home(const LocalMesh& mesh, int home, core::RenumberMode mode) {
  const bool judge = mode == core::RenumberMode::automatic;
  const auto [given, pairs] = band_of(mesh, home, {});
  const double size = mesh.sizes[home];
  if (given == 0 || (judge && given <= good_band * std::sqrt(size))) return {};
  if (2 * pairs > std::numeric_limits<std::int32_t>::max()) return {};
  const Ragged<std::int32_t> graph = graph_of(mesh, home);
  Order order = order_of_small_bandwidth(graph);
  if (judge && !order.empty() &&
      given <= good_factor * band_of(mesh, home, positions_in(order)).width)
    order.clear();
  return order;
}

/// The key of an element that no map connects: it comes last.
constexpr std::int32_t nowhere = std::numeric_limits<std::int32_t>::max();

/// For each element of the set that the map connects with an ordered one: the last position that it
/// accesses, or that accesses it; `nowhere` if there is none.
Positions last_positions(const MapView& map, bool forward, std::int32_t size,
                         const Positions& ordered) {
  Positions last(size, -1);
  for (std::size_t k = 0; k < map.targets.size(); ++k) {
    const std::int32_t target = map.targets[k];
    if (target == MapView::remote) continue;
    const auto source = static_cast<std::int32_t>(k / map.arity);
    std::int32_t& position = last[forward ? source : target];
    position = std::max(position, position_of(ordered, forward ? target : source));
  }
  for (std::int32_t& position : last)
    if (position < 0) position = nowhere;
  return last;
}

/// Mean distance between the keys of successive elements that have one.
double step_of(const Positions& keys) {
  double sum = 0;
  std::int32_t last = keys.empty() ? nowhere : keys.front();
  for (const std::int32_t key : keys) {
    if (key == nowhere) continue;
    if (last != nowhere) sum += std::abs(static_cast<double>(key) - static_cast<double>(last));
    last = key;
  }
  return keys.size() < 2 ? 0 : sum / static_cast<double>(keys.size() - 1);
}

/// By counting, for keys below `end`, or `nowhere`.
Order counted_by(const Positions& keys, std::int32_t end) {
  const auto bucket = [&](std::int32_t key) { return key == nowhere ? end : key; };
  return core::invert<std::int32_t, std::int32_t>(
             static_cast<std::size_t>(end) + 1,
             [&](const auto& add) {
               for (std::size_t element = 0; element < keys.size(); ++element)
                 add(bucket(keys[element]), static_cast<std::int32_t>(element));
             })
      .values;
}

/// Elements with equal keys keep their order. Keys are not negative.
Order sorted_by(const Positions& keys) {
  std::int32_t end = 0;
  for (const std::int32_t key : keys)
    if (key != nowhere) end = std::max(end, key + 1);
  if (static_cast<std::size_t>(end) <= 4 * keys.size()) return counted_by(keys, end);
  Order order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return keys[a] < keys[b]; });
  return order;
}

/// Orders sets that maps connect.
class Sorter {
 public:
  Sorter(const LocalMesh& mesh, core::RenumberMode mode)
      : mesh_(mesh),
        mode_(mode),
        orders_(mesh.sizes.size()),
        positions_(mesh.sizes.size()),
        depth_(mesh.sizes.size(), 0),
        reached_(mesh.sizes.size(), 0) {}

  /// The set with most data of those without an order, or -1.
  int next_home() const {
    int heaviest = -1;
    std::int64_t most = -1;
    for (const MapView& map : mesh_.maps)
      for (const int set : {map.to, map.from})
        if (const std::int64_t weight = mesh_.weight[set]; weight > most && reached_[set] == 0) {
          heaviest = set;
          most = weight;
        }
    return heaviest;
  }

  /// Orders a set and all sets that maps connect with it.
  void sort_from(int home) {
    if (!mesh_.keeps(home) && (!judges() || mesh_.sizes[home] >= few_elements))
      orders_[home] = order_of_home(mesh_, home, mode_);
    reach(home, 0);
    sort_connected();
  }

  /// Orders the ordering set and those that follow it as the canonical order says, and sets from
  /// which no map starts by them, because the order of such elements has no part in it.
  void sort_canonically() {
    const CanonicalOrder& canonical = mesh_.canonical;
    const Positions places(canonical.places.begin(), canonical.places.end());
    const int leading = canonical.reordered;
    if (leading >= 0) {
      if (!mesh_.keeps(leading)) orders_[leading] = sorted_by(places);
      reach(leading, 0);
    }
    for (std::size_t set = 0; set < orders_.size(); ++set) {
      const int map = canonical.followed[set];
      if (map < 0) continue;
      if (!mesh_.keeps(static_cast<int>(set))) sort_followers(mesh_.maps[map], places);
      reach(static_cast<int>(set), 1);
      reached_[mesh_.maps[map].to] = 1;
    }
    sort_connected();
  }

  std::vector<Order> take() { return std::move(orders_); }

 private:
  /// Elements are sorted by the last that they access; they stay if they are already.
  void sort_followers(const MapView& map, const Positions& places) {
    const bool reordered = map.to == mesh_.canonical.reordered;
    const Positions keys =
        last_positions(map, true, mesh_.sizes[map.from], reordered ? places : Positions());
    if (!std::ranges::is_sorted(keys)) orders_[map.from] = sorted_by(keys);
  }

  /// Orders all sets that maps connect with those that are reached.
  void sort_connected() {
    for (const MapView* map = next_map(); map != nullptr; map = next_map()) {
      const bool forward = reached_[map->to] != 0;
      const int set = forward ? map->from : map->to;
      follow(*map, forward, set, positions_[forward ? map->to : map->from]);
      reach(set, depth_[forward ? map->to : map->from] + 1);
    }
  }

  /// @param depth  maps between the set and that where the order begins
  void reach(int set, int depth) {
    depth_[set] = depth;
    reached_[set] = 1;
    positions_[set] = positions_in(orders_[set]);
  }

  /// How well a map serves to order the set that it leads to: lower is better. Maps that can reach
  /// all of that set come first, so that a boundary does not decide the order of the interior; then
  /// those from sets close to the first one; then larger ones.
  std::tuple<bool, int, std::int64_t> rank_of(const MapView& map) const {
    const bool forward = reached_[map.to] != 0;
    const int known = forward ? map.to : map.from, set = forward ? map.from : map.to;
    const std::int64_t entries = std::ssize(map.targets);
    return {entries < mesh_.sizes[set], depth_[known], -entries};
  }

  /// The best of the maps between sets with an order and others; null: there is none.
  const MapView* next_map() const {
    const MapView* best = nullptr;
    for (const MapView& map : mesh_.maps)
      if (reached_[map.from] != reached_[map.to] &&
          (best == nullptr || rank_of(map) < rank_of(*best)))
        best = &map;
    return best;
  }

  bool judges() const { return mode_ != core::RenumberMode::on; }

  bool starts_a_map(int set) const {
    return std::ranges::any_of(mesh_.maps, [&](const MapView& map) { return map.from == set; });
  }

  void follow(const MapView& map, bool forward, int set, const Positions& ordered) {
    if (mesh_.keeps(set)) return;
    if (mode_ == core::RenumberMode::canonical && starts_a_map(set)) return;
    if (judges() && mesh_.sizes[set] < few_elements && ordered.empty()) return;
    const Positions keys = last_positions(map, forward, mesh_.sizes[set], ordered);
    if (!judges() || step_of(keys) > good_step) orders_[set] = sorted_by(keys);
  }

  const LocalMesh& mesh_;
  const core::RenumberMode mode_;
  std::vector<Order> orders_;
  std::vector<Positions> positions_;
  std::vector<int> depth_;  ///< of sets that are reached
  std::vector<char> reached_;
};

}  // namespace

std::vector<std::int32_t> positions_in(const Order& order) {
  Positions positions(order.size());
  for (std::size_t position = 0; position < order.size(); ++position)
    positions[order[position]] = static_cast<std::int32_t>(position);
  return positions;
}

std::vector<Order> locality_orders(const LocalMesh& mesh, core::RenumberMode mode) {
  Sorter sorter(mesh, mode);
  if (mode == core::RenumberMode::canonical)
    sorter.sort_canonically();
  else if (mode != core::RenumberMode::off)
    for (int home = sorter.next_home(); home >= 0; home = sorter.next_home())
      sorter.sort_from(home);
  return sorter.take();
}

}  // namespace op2::comm
