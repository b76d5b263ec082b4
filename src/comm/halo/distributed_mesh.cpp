// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/distributed_mesh.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include <comm/halo/locality.hpp>
#include <comm/messages/records.hpp>
#include <comm/order/canonical_order.hpp>
#include <comm/partition/partition.hpp>
#include <comm/partition/rendezvous.hpp>
#include <core/error.hpp>
#include <core/mesh.hpp>

namespace op2::comm {

namespace {

/// In the declared form.
std::vector<MapView> maps_of(const core::Mesh& mesh) {
  std::vector<MapView> maps;
  for (const auto& map : mesh.maps())
    maps.push_back({map->from->index, map->to->index, map->dim, map->values()});
  return maps;
}

/// The mesh as the only rank declares it.
LocalMesh whole_mesh(const core::Mesh& mesh, std::vector<std::int64_t> weights,
                     CanonicalOrder canonical) {
  LocalMesh local{{}, std::move(weights), maps_of(mesh), {}, std::move(canonical)};
  for (const auto& set : mesh.sets()) local.sizes.push_back(set->size);
  return local;
}

/// @param dat  double, dim 1 to 3, in the declared form
Coordinates coordinates_of(const core::Dat& dat) {
  return {dat.set->index,
          dat.dim,
          {reinterpret_cast<const double*>(dat.rows.host_read()),
           static_cast<std::size_t>(dat.on().declared) * static_cast<std::size_t>(dat.dim)}};
}

}  // namespace

core::DeclaredRange DistributedMesh::block_of(std::int32_t declared, const char* set) const {
  const auto [first, all] = communicator_.partial_sum(declared);
  const core::DeclaredRange block{first, declared, all, communicator_.size() == 1};
  if (block.global_size > std::numeric_limits<std::int32_t>::max())
    core::fail(ErrorCode::too_large,
               "too many elements: set '{}', {} on all ranks, at most 2^31 - 1; use a smaller mesh",
               set, block.global_size);
  return block;
}

const Blocks& DistributedMesh::declared_blocks(const core::Set& set) {
  const auto index = static_cast<std::size_t>(set.index);
  if (declared_.size() <= index) declared_.resize(index + 1);
  Blocks& blocks = declared_[index];
  if (blocks.begin.empty()) {
    blocks.begin = gather_records(communicator_, set.first);
    blocks.begin.push_back(set.global_size);
  }
  return blocks;
}

BlockMesh DistributedMesh::declared_mesh() {
  BlockMesh mesh;
  for (const auto& set : mesh_.sets()) mesh.sets.push_back(declared_blocks(*set));
  for (const auto& map : mesh_.maps()) {
    const auto entries = map->values();
    mesh.maps.push_back(
        {map->from->index, map->to->index, map->dim, {entries.begin(), entries.end()}});
  }
  return mesh;
}

bool DistributedMesh::as_declared() const {
  return std::ranges::all_of(mesh_.sets(), [&](const auto& set) { return keeps(*set); });
}

bool DistributedMesh::keeps(const op_set_core& set) const {
  return halo_plan_ == nullptr || halo_plan_->index_map(set).as_declared();
}

bool DistributedMesh::keeps(const core::Map& map) const {
  return keeps(*map.from) && keeps(*map.to);
}

void DistributedMesh::distribute(const BlockMesh& blocks, std::vector<Owners> owners) {
  is_partitioned_ = true;
  decide_order(nullptr);
  build(blocks, std::move(owners));
}

void DistributedMesh::build(const BlockMesh& blocks, std::vector<Owners> owners) {
  owners_ = std::move(owners);
  for (std::size_t s = owners_.size(); s < blocks.sets.size(); ++s)
    owners_.push_back(block_owners(blocks.sets[s], communicator_.rank()));
  take(build_halo_plan(
      communicator_, blocks, owners_,
      {order_.renumber, weights(), sets_in_declared_order(), canonical_order(), order_.deepest}));
}

std::vector<char> DistributedMesh::sets_in_declared_order() const {
  if (!keeps_order_ || is_partitioned_) return {};
  std::vector<char> kept(mesh_.sets().size(), 1);
  for (const auto& map : mesh_.maps()) kept[map->from->index] = 0;
  return kept;
}

void DistributedMesh::ensure_rows(core::Level level) {
  if (halo_plan_ == nullptr) {
    decide_order(nullptr);
    if (communicator_.size() > 1)
      build(declared_mesh(), std::move(owners_));
    else
      take(plan_without_neighbours(whole_mesh(mesh_, weights(), canonical_order()),
                                   keeps_order_ ? core::RenumberMode::off : order_.renumber));
  }
  if (level <= halo_plan_->depth) return;
  grow_halo_plan(communicator_, *halo_plan_, level);
  update_records();
  update_places();
  for (const auto& dat : mesh_.dats()) dat->resize_rows();
}

bool DistributedMesh::distinguish(core::Level level) {
  if (communicator_.size() == 1) return false;
  const core::Level before = order_.deepest;
  const bool is_known = halo_plan_ != nullptr && !halo_plan_->sets.empty();
  const core::Level limit =
      is_known ? halo_plan_->sets.front().layout.limit : core::deepest_tracked;
  while (order_.deepest > std::max(level, limit))
    order_.deepest = std::max(2 * order_.deepest, limit);
  if (halo_plan_ == nullptr || order_.deepest == before) return false;
  return_to_declared();
  ensure_rows(0);
  return true;
}

void DistributedMesh::keep_order(bool keep) {
  if (as_declared() && keep != keeps_order_) halo_plan_.reset();  // to be looked at again
  keeps_order_ = keep;
}

void DistributedMesh::take(HaloPlan plan) {
  halo_plan_ = std::make_unique<HaloPlan>(std::move(plan));
  update_places();
  if (as_declared()) return;
  ++arrangement_;
  update_records();
  for (const auto& dat : mesh_.dats())
    if (!keeps(*dat->set)) set_declared_rows(*dat, dat->rows.host_read());
}

void DistributedMesh::update_records() {
  ++epoch_;
  for (const auto& set : mesh_.sets()) set->take_layout(halo_plan_->index_map(*set).layout);
  for (const auto& map : mesh_.maps())
    if (!keeps(*map))
      map->take_entries(core::bytes_within(std::span(halo_plan_->maps[map->index].entries)));
}

void DistributedMesh::return_to_declared() {
  if (!as_declared()) {
    for (const auto& dat : mesh_.dats()) {
      if (keeps(*dat->set)) continue;
      core::HostBytes rows = core::zeroed_bytes(dat->declared_bytes());
      copy_declared(*dat, rows.memory.get());
      dat->take_rows(std::move(rows));
    }
    for (const auto& map : mesh_.maps())
      if (!keeps(*map))
        map->take_entries(core::bytes_of(from_bytes<std::int32_t>(declared_entries(*map))));
    for (const auto& set : mesh_.sets()) set->take_layout(set->declared_layout);
    ++epoch_;
    ++arrangement_;
  }
  halo_plan_.reset();
}

std::vector<std::int64_t> DistributedMesh::weights() const {
  std::vector<std::int64_t> weights(mesh_.sets().size(), 0);
  for (const auto& dat : mesh_.dats())
    weights[dat->set->index] += dat->size * dat->on().global_size;
  return weights;
}

void DistributedMesh::set_declared_rows(core::Dat& dat, const void* values) {
  core::ensure(halo_plan_ != nullptr, "rows are set in the declared form");
  const Bytes zeros(values == nullptr ? dat.declared_bytes() : 0);
  const auto* const declared =
      values == nullptr ? zeros.data() : static_cast<const std::byte*>(values);
  core::HostBytes rows = core::zeroed_bytes(dat.bytes());
  halo_plan_->index_map(*dat.set).from_declared(communicator_, {declared, dat.declared_bytes()},
                                                static_cast<std::size_t>(dat.size),
                                                rows.memory.get());
  if (dat.rows.bytes() != rows.size)
    dat.take_rows(std::move(rows));
  else if (rows.size > 0)  // plans are bound to the address
    std::memcpy(dat.rows.host_overwrite().get(), rows.memory.get(), rows.size);
}

DeclaredPieces DistributedMesh::declared_pieces(const core::Dat& dat) const {
  const auto row_bytes = static_cast<std::size_t>(dat.size);
  const std::byte* const rows = dat.rows.host_read();
  if (halo_plan_ == nullptr) return {rows, {}, row_bytes};
  return halo_plan_->index_map(*dat.set).declared_pieces(communicator_, rows, row_bytes);
}

void DistributedMesh::copy_declared(const core::Dat& dat, std::byte* to) const {
  declared_pieces(dat).copy_next(dat.on().declared, to);
}

std::span<const std::byte> DistributedMesh::declared_rows(const core::Dat& dat,
                                                          Bytes& storage) const {
  return declared_pieces(dat).next(dat.on().declared, storage);
}

Bytes DistributedMesh::declared_entries(const core::Map& map) const {
  const auto entries = map.values();
  if (keeps(map)) return to_bytes(entries);
  const IndexMap& from = halo_plan_->index_map(*map.from);
  const IndexMap& to = halo_plan_->index_map(*map.to);
  const auto arity = static_cast<std::size_t>(map.dim);
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(from.layout.owned()) * arity);
  for (std::size_t k = 0; k < numbers.size(); ++k)
    numbers[k] = static_cast<std::int32_t>(to.id_at(entries[k]));
  const std::size_t row_bytes = arity * sizeof(std::int32_t);
  const std::int64_t declared = core::record_of(map.from)->declared;
  Bytes rows(declared * row_bytes);
  from.declared_pieces(communicator_, std::as_bytes(std::span(numbers)).data(), row_bytes)
      .copy_next(declared, rows.data());
  return rows;
}

std::vector<GlobalId> DistributedMesh::owned_targets(const core::Map& map) const {
  const auto& numbers = core::record_of(map.to)->global_indices;
  const auto count = static_cast<std::size_t>(map.from->size) * static_cast<std::size_t>(map.dim);
  const auto entries = map.values().first(count);
  std::vector<GlobalId> targets(entries.begin(), entries.end());
  if (!numbers.empty())
    for (GlobalId& target : targets) target = numbers[target];
  return targets;
}

void DistributedMesh::decide_order(const core::Dat* coordinates) {
  const std::size_t declared = mesh_.sets().size() + mesh_.maps().size();
  if (!order_.reproducible || ordered_ == declared) return;
  const bool loop_was_called = mesh_.ordering_set() != nullptr;
  mesh_.choose_ordering_set();
  ordered_ = declared;
  places_.reset();
  if (mesh_.ordering_set() == nullptr) return;
  DeclaredMaps mesh{communicator_, {}, maps_of(mesh_), mesh_.ordering_set()->index};
  for (const auto& set : mesh_.sets()) mesh.sets.push_back(&declared_blocks(*set));
  places_ = choose_canonical_order(mesh, coordinates == nullptr || loop_was_called
                                             ? Coordinates{}
                                             : coordinates_of(*coordinates));
}

CanonicalOrder DistributedMesh::canonical_order() {
  mesh_.choose_ordering_set();
  CanonicalOrder order;
  for (const auto& set : mesh_.sets()) {
    const core::Map* const map = mesh_.ordering_map(*set);
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
  core::Set& leading = *mesh_.sets()[mesh_.ordering_set()->index];
  const IndexMap& rows = halo_plan_->index_map(leading);
  std::vector<GlobalId> ids;
  for (std::int32_t row = 0; row < rows.layout.rows(); ++row) ids.push_back(rows.id_at(row));
  const ValueLookup<std::int32_t> positions(communicator_, declared_blocks(leading), *places_, ids);
  leading.canonical_positions.resize(ids.size());
  std::ranges::transform(ids, leading.canonical_positions.begin(),
                         [&](GlobalId id) { return positions.value_of(id); });
}

void DistributedMesh::copy_declared_range(const core::Dat& dat, std::int64_t low, std::int64_t high,
                                          std::byte* to) {
  if (dat.on().is_single_rank) {  // the rows alone, without all others
    DeclaredPieces pieces = declared_pieces(dat);
    pieces.skip(low);
    return pieces.copy_next(high - low + 1, to);
  }
  std::vector<GlobalId> wanted(high - low + 1);
  std::iota(wanted.begin(), wanted.end(), low);
  const RowRequest request(communicator_, declared_blocks(dat.on()), wanted);
  Bytes storage;
  std::ranges::copy(request.rows(declared_rows(dat, storage), dat.size), to);
}

}  // namespace op2::comm
