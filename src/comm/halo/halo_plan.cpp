// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/halo_plan.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <comm/halo/local_maps.hpp>
#include <comm/halo/locality.hpp>
#include <comm/halo/owned_levels.hpp>
#include <comm/messages/records.hpp>
#include <comm/partition/owner_lookup.hpp>

namespace op2::comm {
namespace {

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
  const OwnerLookup lookup(communicator, blocks, owners, remote);
  for (const GlobalId target : remote)
    local.remote_targets.push_back({target, lookup.owner_of(target)});
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
    const auto& ids = plan.sets[static_cast<std::size_t>(owned[m].from)].placement.owned();
    auto next = plan.maps[m].remote_targets.begin();
    for (std::size_t k = 0; k < owned[m].targets.size(); ++k) {
      if (owned[m].targets[k] != MapView::remote) continue;
      const GlobalId iteration = ids[k / static_cast<std::size_t>(owned[m].arity)];
      leaving[static_cast<std::size_t>(next->owner)].push_back(
          {static_cast<std::int32_t>(m), next->id, iteration});
      ++next;
    }
  }
  for (const Message& message : communicator.exchange(messages_of(leaving)))
    for (const auto& r : from_bytes<TravellingReference>(message.bytes)) {
      LocalMap& map = plan.maps[static_cast<std::size_t>(r.map)];
      map.remote_references.push_back(
          {plan.sets[static_cast<std::size_t>(map.to)].placement.ordinal_of(r.target),
           {r.iteration, message.rank}});
    }
}

std::vector<std::vector<char>> accessed_by_others(const HaloPlan& plan) {
  std::vector<std::vector<char>> accessed;
  for (const IndexMap& set : plan.sets) accessed.emplace_back(set.placement.owned().size(), 0);
  for (const LocalMap& map : plan.maps)
    for (const Reference& r : map.remote_references)
      accessed[static_cast<std::size_t>(map.to)][static_cast<std::size_t>(r.row)] = 1;
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
  const auto depth = [&](std::int32_t k) { return depths[static_cast<std::size_t>(k)]; };
  std::stable_sort(ordinals.begin(), ordinals.end(),
                   [&](std::int32_t a, std::int32_t b) { return depth(a) > depth(b); });
  set.row_of.resize(depths.size());
  set.layout.global_id.reserve(depths.size());
  for (std::size_t row = 0; row < ordinals.size(); ++row) {
    set.row_of[static_cast<std::size_t>(ordinals[row])] = static_cast<std::int32_t>(row);
    set.layout.global_id.push_back(set.placement.owned()[static_cast<std::size_t>(ordinals[row])]);
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
        target == MapView::remote ? -1 - remote++ : to.row_of[static_cast<std::size_t>(target)];
  }
  for (Reference& r : map.remote_references) r.row = to.row_of[static_cast<std::size_t>(r.row)];
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
  WordReduction small{{}, {}, {is_large_part(elements, outermost) ? 0 : 1}};
  communicator.reduce(small, "agreeing on the levels of halos");
  return small.maxima.front() == 0 ? core::deepest_tracked : core::deepest_of_small_parts;
}

/// The places of the owned elements of the reordered set, by ordinal. Collective.
std::vector<std::int32_t> owned_places(Communicator& communicator, const HaloPlan& plan,
                                       const CanonicalOrder& declared) {
  if (declared.reordered < 0) return {};
  return from_bytes<std::int32_t>(
      plan.sets[static_cast<std::size_t>(declared.reordered)].placement.to_owners(
          communicator, std::as_bytes(declared.places), sizeof(std::int32_t)));
}

}  // namespace

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
    targets.push_back(owned_rows(communicator, map, plan.sets[static_cast<std::size_t>(map.from)],
                                 plan.sets[to], mesh.sets[to], owners[to], plan.maps.back()));
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
    order_map(owned.maps[m], plan.sets[static_cast<std::size_t>(plan.maps[m].from)],
              plan.sets[static_cast<std::size_t>(plan.maps[m].to)], plan.maps[m]);
  grow_halo_plan(communicator, plan, 2);
  return plan;
}

}  // namespace op2::comm
