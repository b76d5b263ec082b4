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
  std::vector<std::int32_t> entries;
  entries.reserve(map.targets.size());
  for (std::int32_t row = 0; row < from.layout.owned(); ++row)
    for (const std::int32_t target : map.targets.subspan(from.id_at(row) * map.arity, map.arity))
      entries.push_back(to.row_at(target));
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
    LocalMap& local = plan.maps.emplace_back(LocalMap{map.from, map.to, map.arity, {}, {}, {}});
    if (!from.as_declared() || !to.as_declared()) local.entries = entries_of(map, from, to);
  }
  return plan;
}

}  // namespace op2::comm
