// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/halo_plan.hpp>
#include <comm/halo/locality.hpp>

namespace op2::comm {
namespace {

IndexMap index_map_of(std::int32_t size, const Order& order) {
  IndexMap set{{}, positions_in(order), core::Layout::without_halos(size), {}};
  set.layout.global_id.assign(order.begin(), order.end());
  return set;
}

/// The entries as rows.
std::vector<std::int32_t> entries_of(const MapView& map, const IndexMap& from, const IndexMap& to) {
  const auto arity = static_cast<std::size_t>(map.arity);
  std::vector<std::int32_t> entries(map.targets.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto element = from.id_at(static_cast<std::int32_t>(k / arity));
    entries[k] = to.row_at(map.targets[static_cast<std::size_t>(element) * arity + k % arity]);
  }
  return entries;
}

}  // namespace

HaloPlan plan_without_neighbours(const LocalMesh& mesh, core::RenumberMode mode) {
  const std::vector<Order> orders = locality_orders(mesh, mode);
  HaloPlan plan{0, core::every_level, {}, {}};
  for (std::size_t s = 0; s < orders.size(); ++s)
    plan.sets.push_back(index_map_of(mesh.sizes[s], orders[s]));
  for (const MapView& map : mesh.maps) {
    const IndexMap& from = plan.sets[static_cast<std::size_t>(map.from)];
    const IndexMap& to = plan.sets[static_cast<std::size_t>(map.to)];
    LocalMap& local = plan.maps.emplace_back(map.from, map.to, map.arity);
    if (!from.as_declared() || !to.as_declared()) local.entries = entries_of(map, from, to);
  }
  return plan;
}

}  // namespace op2::comm
