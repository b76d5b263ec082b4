// SPDX-License-Identifier: BSD-3-Clause
// The canonical order of a mesh, as declared and in local rows.
#include <algorithm>
#include <numeric>

#include <comm/halo/distributed_mesh.hpp>
#include <comm/halo/row_request.hpp>
#include <comm/messages/records.hpp>
#include <comm/order/canonical_places.hpp>
#include <core/ordering_map.hpp>

namespace op2::comm {
namespace {

/// @param dat  double, dim 1 to 3, in the declared form
Coordinates coordinates_of(const core::Dat& dat) {
  return {dat.set->index,
          dat.dim,
          {reinterpret_cast<const double*>(dat.rows.host_read()),
           static_cast<std::size_t>(dat.on().declared) * static_cast<std::size_t>(dat.dim)}};
}

/// The places of rows that other ranks own. Collective. Cost: two exchanges.
/// @param places  of the declared elements
/// @param rows    of all rows of the set; those of the owned elements stay
void fetch_ghosts(Communicator& ranks, const Blocks& blocks, const core::Layout& layout,
                  const std::vector<std::int32_t>& places, std::vector<std::int32_t>& rows) {
  std::vector<std::int32_t> ghosts(static_cast<std::size_t>(layout.rows() - layout.owned()));
  std::iota(ghosts.begin(), ghosts.end(), layout.owned());
  const auto number = [&](std::int32_t row) {
    return layout.global_id[static_cast<std::size_t>(row)];
  };
  std::ranges::sort(ghosts, {}, number);
  std::vector<GlobalId> wanted;
  wanted.reserve(ghosts.size());
  for (const std::int32_t row : ghosts) wanted.push_back(number(row));
  const auto arrived =
      from_bytes<std::int32_t>(RowRequest(ranks, blocks, wanted)
                                   .rows(std::as_bytes(std::span(places)), sizeof(std::int32_t)));
  for (std::size_t k = 0; k < ghosts.size(); ++k)
    rows[static_cast<std::size_t>(ghosts[k])] = arrived[k];
}

}  // namespace

void DistributedMesh::decide_order(const core::Dat* coordinates) {
  const std::size_t declared = mesh_.sets().size() + mesh_.maps().size();
  if (!order_.reproducible || ordered_ == declared) return;
  const bool loop_was_called = mesh_.ordering_set() != nullptr;
  core::choose_ordering_set(mesh_);
  ordered_ = declared;
  places_.reset();
  if (mesh_.ordering_set() == nullptr) return;
  DeclaredMaps mesh{communicator_, {}, {}, mesh_.ordering_set()->index};
  for (const auto& set : mesh_.sets()) mesh.sets.push_back(&declared_blocks(*set));
  for (const auto& map : mesh_.maps())
    mesh.maps.push_back({map->from->index, map->to->index, map->dim, map->values()});
  places_ = canonical_places(mesh, coordinates == nullptr || loop_was_called
                                       ? Coordinates{}
                                       : coordinates_of(*coordinates));
}

CanonicalOrder DistributedMesh::canonical_order() {
  core::choose_ordering_set(mesh_);
  CanonicalOrder order;
  for (const auto& set : mesh_.sets()) {
    const core::Map* const map = core::ordering_map(mesh_, *set);
    order.followed.push_back(map == nullptr ? -1 : map->index);
  }
  if (!places_) return order;
  order.reordered = mesh_.ordering_set()->index;
  order.places = *places_;
  return order;
}

void DistributedMesh::update_places() {
  for (const auto& set : mesh_.sets()) core::release(set->canonical_positions);
  if (!places_) return;
  core::Set& leading = *mesh_.sets()[static_cast<std::size_t>(mesh_.ordering_set()->index)];
  const IndexMap& rows = halo_plan_->of(leading);
  leading.canonical_positions.resize(static_cast<std::size_t>(rows.layout.rows()));
  rows.from_declared(communicator_, std::as_bytes(std::span(*places_)), sizeof(std::int32_t),
                     reinterpret_cast<std::byte*>(leading.canonical_positions.data()));
  fetch_ghosts(communicator_, declared_blocks(leading), rows.layout, *places_,
               leading.canonical_positions);
}

}  // namespace op2::comm
