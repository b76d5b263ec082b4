// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/halo_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include <comm/halo/locality.hpp>
#include <comm/halo/row_copy.hpp>
#include <comm/messages/records.hpp>
#include <comm/partition/rendezvous.hpp>

namespace op2::comm {

namespace {

using Depths = std::vector<std::vector<std::int8_t>>;

/// Iterations leave level -h (odd) if one of their targets is not in level -(h - 1).
void shrink_iterations(const MapView& map, std::int8_t h, Depths& depths) {
  auto& from = depths[map.from];
  const auto& to = depths[map.to];
  const auto leaves = [&](std::int32_t target) {
    return target == MapView::remote || to[target] < h;
  };
  const std::int32_t* row = map.targets.data();
  for (std::int8_t& depth : from) {
    if (depth > h)
      for (int column = 0; column < map.arity; ++column)
        if (leaves(row[column])) depth = h;
    row += map.arity;
  }
}

/// Data leave level -h (even) if an iteration that accesses them is not in level -(h - 1).
void shrink_data(const MapView& map, std::int8_t h, Depths& depths) {
  const auto& from = depths[map.from];
  auto& to = depths[map.to];
  const std::int32_t* row = map.targets.data();
  for (std::size_t element = 0; element < from.size(); ++element, row += map.arity) {
    if (from[element] >= h) continue;
    for (int column = 0; column < map.arity; ++column) {
      if (row[column] == MapView::remote) continue;
      std::int8_t& depth = to[row[column]];
      if (depth > h) depth = h;
    }
  }
}

/// The depth h of every owned element of each set: the first h for which it is not in W_-h. That is
/// 1 for an iteration that accesses another rank's element, 2 for data that such an iteration, or
/// another rank's, accesses, and so on; 1 - deepest for all deeper ones. Local. Cost: a pass over
/// the maps for each level.
/// @param mesh     the owned elements by their ordinals, and the maps between them
/// @param accessed  [set][element]: another rank's iterations lead to it
/// @param deepest   even, at most -2
Depths owned_depths(const LocalMesh& mesh, const std::vector<std::vector<char>>& accessed,
                    core::Level deepest) {
  static_assert(1 - core::deepest_tracked <= std::numeric_limits<std::int8_t>::max());
  const auto end = static_cast<std::int8_t>(1 - deepest);
  Depths depths;
  for (const std::int32_t size : mesh.sizes)
    depths.emplace_back(static_cast<std::size_t>(size), end);
  for (std::int8_t h = 1; h < end; ++h) {
    for (const MapView& map : mesh.maps)
      h % 2 != 0 ? shrink_iterations(map, h, depths) : shrink_data(map, h, depths);
    if (h != 2) continue;
    for (std::size_t set = 0; set < accessed.size(); ++set)
      for (std::size_t k = 0; k < accessed[set].size(); ++k)
        if (accessed[set][k] != 0 && depths[set][k] > h) depths[set][k] = h;
  }
  return depths;
}

/// Whether this is the only map from its set, has one column, and no map leads to its set. Uniform.
bool stands_alone(const HaloPlan& plan, const LocalMap& map) {
  return map.arity == 1 &&
         std::ranges::all_of(plan.maps,
                             [&](const LocalMap& other) {
                               return &other == &map ||
                                      (other.from != map.from && other.to != map.from);
                             }) &&
         map.to != map.from;
}

/// Rows of the owned elements by ordinal, with ordinals as targets; fills `local.remote_targets`.
std::vector<std::int32_t> owned_rows(Communicator& communicator, const BlockMap& map,
                                     const IndexMap& from, const IndexMap& to, const Blocks& blocks,
                                     const Owners& owners, LocalMap& local) {
  const std::size_t row_bytes = static_cast<std::size_t>(map.arity) * sizeof(GlobalId);
  const auto targets = from_bytes<GlobalId>(
      from.placement.to_owners(communicator, std::as_bytes(std::span(map.targets)), row_bytes));
  std::vector<std::int32_t> owned;
  owned.reserve(targets.size());
  std::vector<GlobalId> remote;
  for (const GlobalId target : targets) {
    owned.push_back(to.placement.ordinal_of(target));
    if (owned.back() == MapView::remote) remote.push_back(target);
  }
  const ValueLookup<std::int32_t> lookup(communicator, blocks, owners, remote);
  for (const GlobalId target : remote)
    local.remote_targets.push_back({target, lookup.value_of(target)});
  return owned;
}

struct TravellingReference {
  std::int32_t map;
  GlobalId target, iteration;
};

/// Tells the owners of remote targets about the iterations that access them. In the result, rows
/// are ordinals.
void exchange_references(Communicator& communicator, const std::vector<MapView>& owned,
                         HaloPlan& plan) {
  std::vector<std::vector<TravellingReference>> leaving(
      static_cast<std::size_t>(communicator.size()));
  for (std::size_t m = 0; m < owned.size(); ++m) {
    const auto& ids = plan.sets[owned[m].from].placement.owned();
    auto next = plan.maps[m].remote_targets.begin();
    for (std::size_t k = 0; k < owned[m].targets.size(); ++k) {
      if (owned[m].targets[k] != MapView::remote) continue;
      const GlobalId iteration = ids[k / static_cast<std::size_t>(owned[m].arity)];
      leaving[next->owner].push_back({static_cast<std::int32_t>(m), next->id, iteration});
      ++next;
    }
  }
  for (const Message& message : communicator.exchange(messages_of(leaving)))
    for (const auto& r : from_bytes<TravellingReference>(message.bytes)) {
      LocalMap& map = plan.maps[r.map];
      map.remote_references.push_back(
          {plan.sets[map.to].placement.ordinal_of(r.target), {r.iteration, message.rank}});
    }
}

std::vector<std::vector<char>> accessed_by_others(const HaloPlan& plan) {
  std::vector<std::vector<char>> accessed;
  for (const IndexMap& set : plan.sets) accessed.emplace_back(set.placement.owned().size(), 0);
  for (const LocalMap& map : plan.maps)
    for (const Reference& r : map.remote_references) accessed[map.to][r.row] = 1;
  return accessed;
}

/// Orders the owned elements: the deepest first, unless only levels that have all of them are
/// distinguished; those of equal depth as in `ordinals`, or by their global indices if that is
/// empty.
void order_owned(int rank, std::vector<std::int8_t> depths, Order ordinals, IndexMap& set) {
  if (set.layout.deepest == core::deepest_in_declared_order)
    std::ranges::fill(depths, static_cast<std::int8_t>(1 - set.layout.deepest));
  if (ordinals.empty()) {
    ordinals.resize(depths.size());
    std::iota(ordinals.begin(), ordinals.end(), 0);
  }
  const auto depth = [&](std::int32_t k) { return depths[k]; };
  std::stable_sort(ordinals.begin(), ordinals.end(),
                   [&](std::int32_t a, std::int32_t b) { return depth(a) > depth(b); });
  set.row_of.resize(depths.size());
  set.layout.global_id.reserve(depths.size());
  for (std::size_t row = 0; row < ordinals.size(); ++row) {
    set.row_of[ordinals[row]] = static_cast<std::int32_t>(row);
    set.layout.global_id.push_back(set.placement.owned()[ordinals[row]]);
  }
  set.layout.owner.assign(depths.size(), rank);
  // Element e is in W_-h if its depth is greater than h.
  for (core::Level h = -core::deepest_tracked; h >= 0; --h) {
    const auto end = std::partition_point(ordinals.begin(), ordinals.end(),
                                          [&](std::int32_t k) { return depth(k) > h; });
    set.layout.prefix.push_back(static_cast<std::int32_t>(end - ordinals.begin()));
  }
}

/// From ordinals to rows.
void order_map(const MapView& owned, const IndexMap& from, const IndexMap& to, LocalMap& map) {
  map.entries.resize(owned.targets.size());
  if (map.remote_targets.size() > std::numeric_limits<std::int32_t>::max())
    core::fail(ErrorCode::too_large,
               "too many remote entries: a map, {} lead to elements of other ranks, at most 2^31 - "
               "1 can; use another partitioner or more ranks",
               map.remote_targets.size());
  std::int32_t remote = 0;
  for (std::size_t k = 0; k < owned.targets.size(); ++k) {
    const auto arity = static_cast<std::size_t>(owned.arity);
    const auto row = static_cast<std::size_t>(from.row_of[k / arity]);
    const std::int32_t target = owned.targets[k];
    map.entries[row * arity + k % arity] =
        target == MapView::remote ? -1 - remote++ : to.row_of[target];
  }
  for (Reference& r : map.remote_references) r.row = to.row_of[r.row];
  std::stable_sort(map.remote_references.begin(), map.remote_references.end(),
                   [](const Reference& a, const Reference& b) { return a.row < b.row; });
}

/// The lowest level that is worth distinguishing. Collective: one reduction.
core::Level level_limit(Communicator& communicator, const LocalMesh& mesh,
                        const std::vector<std::vector<char>>& accessed) {
  std::int64_t elements = 0, outermost = 0;
  for (const auto& depths : owned_depths(mesh, accessed, core::shallowest_tracked)) {
    elements += static_cast<std::int64_t>(depths.size());
    outermost += std::ranges::count_if(depths, [](std::int8_t depth) { return depth <= 2; });
  }
  const std::int64_t is_small = communicator.maximum(is_large_part(elements, outermost) ? 0 : 1,
                                                     "agreeing on the levels of halos");
  return is_small == 0 ? core::deepest_tracked : core::deepest_of_small_parts;
}

/// The places of the owned elements of the reordered set, by ordinal. Collective.
std::vector<std::int32_t> owned_places(Communicator& communicator, const HaloPlan& plan,
                                       const CanonicalOrder& declared) {
  if (declared.reordered < 0) return {};
  return from_bytes<std::int32_t>(plan.sets[declared.reordered].placement.to_owners(
      communicator, std::as_bytes(declared.places), sizeof(std::int32_t)));
}

IndexMap index_map_of(std::int32_t size, const Order& order) {
  IndexMap set{{}, positions_in(order), core::Layout::without_halos(size), {}};
  set.layout.global_id.assign(order.begin(), order.end());
  return set;
}

/// The entries as rows.
std::vector<std::int32_t> entries_of(const MapView& map, const IndexMap& from, const IndexMap& to) {
  std::vector<std::int32_t> entries;
  entries.reserve(map.targets.size());
  for (std::int32_t row = 0; row < from.layout.owned(); ++row)
    for (const std::int32_t target : map.targets.subspan(from.id_at(row) * map.arity, map.arity))
      entries.push_back(to.row_at(target));
  return entries;
}

template <class T>
std::int64_t bytes_of(const std::vector<T>& values) {
  return static_cast<std::int64_t>(values.capacity() * sizeof(T));
}

template <class T>
std::int64_t unused_in(const std::vector<T>& values) {
  return static_cast<std::int64_t>((values.capacity() - values.size()) * sizeof(T));
}

std::int64_t halo_rows(const core::Layout& layout) {
  return layout.rows() - layout.owned();
}

void add_set(const IndexMap& set, HaloMemory& memory) {
  constexpr std::int64_t number_and_owner = sizeof(std::int64_t) + sizeof(std::int32_t);
  memory.rows += halo_rows(set.layout) * number_and_owner;
  memory.lists += halo_rows(set.layout) * std::int64_t{sizeof(std::int32_t)} +
                  unused_in(set.layout.global_id) + unused_in(set.layout.owner);
  for (const HaloLevel& level : set.levels) {
    memory.lists += bytes_of(level.imports) + bytes_of(level.exports);
    for (const ExportList& list : level.exports) memory.lists += bytes_of(list.rows);
  }
}

void add_map(const LocalMap& map, const core::Layout& from, HaloMemory& memory) {
  const auto owned = std::int64_t{from.owned()} * map.arity;
  const std::int64_t ghosts = std::max<std::int64_t>(0, std::ssize(map.entries) - owned);
  memory.rows += ghosts * std::int64_t{sizeof(std::int32_t)};
  memory.lists +=
      unused_in(map.entries) + bytes_of(map.remote_references) + bytes_of(map.remote_targets);
}

}  // namespace

void IndexMap::from_declared(Communicator& communicator, std::span<const std::byte> declared,
                             std::size_t row_bytes, std::byte* rows) const {
  if (as_declared()) {
    if (!declared.empty()) std::memcpy(rows, declared.data(), declared.size());
  } else if (placement.stays()) {
    scatter_rows(rows, declared.data(), row_of, row_bytes);
  } else {
    const Bytes owned = placement.to_owners(communicator, declared, row_bytes);
    scatter_rows(rows, owned.data(), row_of, row_bytes);
  }
}

DeclaredPieces IndexMap::declared_pieces(Communicator& communicator, const std::byte* rows,
                                         std::size_t row_bytes) const {
  if (!placement.stays())
    return placement.to_declaring_ranks(communicator, rows, row_of, row_bytes);
  return {rows, row_of, row_bytes};
}

bool is_large_part(std::int64_t elements, std::int64_t outermost) {
  constexpr int layers = -core::deepest_tracked / 2;
  return 2 * layers * outermost <= elements;
}

void find_local_maps(Communicator& communicator, HaloPlan& plan) {
  std::vector<const LocalMap*> candidates;
  WordReduction local;
  for (const LocalMap& map : plan.maps)
    if (stands_alone(plan, map)) {
      candidates.push_back(&map);
      local.minima.push_back(map.remote_targets.empty() ? 1 : 0);
    }
  if (candidates.empty()) return;
  communicator.reduce(local, "maps that lead to elements of the same rank");
  for (std::size_t k = 0; k < candidates.size(); ++k)
    plan.sets[candidates[k]->from].layout.local_map = local.minima[k] != 0;
}

HaloPlan build_halo_plan(Communicator& communicator, const BlockMesh& mesh,
                         const std::vector<Owners>& owners, const Numbering& numbering) {
  HaloPlan plan{communicator.rank(), 0, {}, {}};
  for (std::size_t s = 0; s < mesh.sets.size(); ++s)
    plan.sets.push_back({Placement(communicator, mesh.sets[s], owners[s]), {}, {}, {}});
  std::vector<std::vector<std::int32_t>> targets;
  LocalMesh owned{{}, numbering.weight, {}, numbering.keeps_order, numbering.canonical};
  const std::vector<std::int32_t> places = owned_places(communicator, plan, numbering.canonical);
  owned.canonical.places = places;
  for (const IndexMap& set : plan.sets)
    owned.sizes.push_back(static_cast<std::int32_t>(set.placement.owned().size()));
  for (const BlockMap& map : mesh.maps) {
    const auto to = static_cast<std::size_t>(map.to);
    plan.maps.push_back({map.from, map.to, map.arity, {}, {}, {}});
    targets.push_back(owned_rows(communicator, map, plan.sets[map.from], plan.sets[to],
                                 mesh.sets[to], owners[to], plan.maps.back()));
    owned.maps.push_back({map.from, map.to, map.arity, targets.back()});
  }
  find_local_maps(communicator, plan);
  exchange_references(communicator, owned.maps, plan);
  const std::vector<std::vector<char>> accessed = accessed_by_others(plan);
  const core::Level limit = level_limit(communicator, owned, accessed);
  const core::Level deepest = std::max(numbering.deepest, limit);
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    core::Layout& layout = plan.sets[s].layout;
    const bool keeps = owned.keeps(static_cast<int>(s));
    layout.deepest = keeps ? core::deepest_in_declared_order : deepest;
    layout.limit = limit;
  }
  const auto depths = owned_depths(owned, accessed, deepest);
  std::vector<Order> orders = locality_orders(owned, numbering.mode);
  for (std::size_t s = 0; s < plan.sets.size(); ++s)
    order_owned(plan.rank, depths[s], std::move(orders[s]), plan.sets[s]);
  for (std::size_t m = 0; m < plan.maps.size(); ++m)
    order_map(owned.maps[m], plan.sets[plan.maps[m].from], plan.sets[plan.maps[m].to],
              plan.maps[m]);
  grow_halo_plan(communicator, plan, 2);
  return plan;
}

HaloPlan plan_without_neighbours(const LocalMesh& mesh, core::RenumberMode mode) {
  const std::vector<Order> orders = locality_orders(mesh, mode);
  HaloPlan plan{0, core::every_level, {}, {}};
  for (std::size_t s = 0; s < orders.size(); ++s)
    plan.sets.push_back(index_map_of(mesh.sizes[s], orders[s]));
  for (const MapView& map : mesh.maps) {
    const IndexMap& from = plan.sets[map.from];
    const IndexMap& to = plan.sets[map.to];
    LocalMap& local = plan.maps.emplace_back(LocalMap{map.from, map.to, map.arity, {}, {}, {}});
    if (!from.as_declared() || !to.as_declared()) local.entries = entries_of(map, from, to);
  }
  return plan;
}

HaloMemory halo_memory(const HaloPlan& plan, const core::Mesh& mesh) {
  HaloMemory memory{0, 0};
  for (const IndexMap& set : plan.sets) add_set(set, memory);
  for (const LocalMap& map : plan.maps) add_map(map, plan.sets[map.from].layout, memory);
  for (const auto& dat : mesh.dats())
    memory.rows += dat->size * halo_rows(plan.sets[dat->set->index].layout);
  return memory;
}

}  // namespace op2::comm
