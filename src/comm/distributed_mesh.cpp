// SPDX-License-Identifier: BSD-3-Clause
#include <comm/distributed_mesh.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include <comm/partition.hpp>
#include <comm/records.hpp>
#include <comm/row_copy.hpp>
#include <core/error.hpp>

namespace op2::comm {
namespace {

/// The declared entries of a map from its local ones.
Bytes local_to_declared(Communicator& communicator, const HaloFamily& family,
                        const MapFamily& map) {
  const SetFamily& from = family.sets[static_cast<std::size_t>(map.from)];
  const SetFamily& to = family.sets[static_cast<std::size_t>(map.to)];
  std::vector<std::int32_t> by_ordinal;
  const auto arity = static_cast<std::size_t>(map.arity);
  for (const std::int32_t row : from.row_of)
    for (std::size_t column = 0; column < arity; ++column) {
      const std::int32_t target = map.entries[static_cast<std::size_t>(row) * arity + column];
      by_ordinal.push_back(
          static_cast<std::int32_t>(to.layout.global_id[static_cast<std::size_t>(target)]));
    }
  return from.placement.to_holders(communicator, std::as_bytes(std::span(by_ordinal)),
                                   static_cast<std::size_t>(map.arity) * sizeof(std::int32_t));
}

}  // namespace

core::Block DistributedMesh::block_of(std::int32_t declared, const char* set) const {
  if (communicator_.size() == 1) return {0, declared, declared};
  const auto counts = gather_records(communicator_, std::int64_t{declared});
  const auto own = counts.begin() + communicator_.rank();
  const core::Block block{std::accumulate(counts.begin(), own, std::int64_t{0}), declared,
                          std::accumulate(counts.begin(), counts.end(), std::int64_t{0})};
  if (block.global_size > std::numeric_limits<std::int32_t>::max())
    core::fail(ErrorCode::too_large,
               "set '{}' has {} elements on all ranks; global numbers are int, at most 2^31 - 1",
               set, block.global_size);
  return block;
}

BlockMesh DistributedMesh::as_declared() const {
  BlockMesh mesh;
  for (const auto& set : mesh_.sets()) {
    Blocks blocks{gather_records(communicator_, set->first)};
    blocks.begin.push_back(set->global_size);
    mesh.sets.push_back(std::move(blocks));
  }
  for (const auto& map : mesh_.maps())
    mesh.maps.push_back(
        {map->from->index, map->to->index, map->dim, {map->declared.begin(), map->declared.end()}});
  return mesh;
}

void DistributedMesh::distribute(const BlockMesh& blocks, std::vector<Owners> owners) {
  owners_ = std::move(owners);
  for (std::size_t s = owners_.size(); s < blocks.sets.size(); ++s)
    owners_.push_back(block_owners(blocks.sets[s], communicator_.rank()));
  family_ = std::make_unique<HaloFamily>(build_family(communicator_, blocks, owners_));
  update_records();
  for (const auto& dat : mesh_.dats()) to_local(*dat, {dat->rows.get(), dat->declared_bytes()});
}

void DistributedMesh::undistribute() {
  if (!distributed()) return;
  for (const auto& dat : mesh_.dats()) {
    Bytes storage;
    const auto declared = declared_rows(*dat, storage);
    core::Buffer rows = core::allocate_zeroed(declared.size());
    if (!declared.empty()) std::memcpy(rows.get(), declared.data(), declared.size());
    dat->take_rows(std::move(rows));
  }
  for (const auto& map : mesh_.maps()) {
    map->declared = from_bytes<std::int32_t>(declared_entries(*map));
    map->map = map->declared.data();
  }
  family_.reset();
  ++epoch_;
  for (const auto& set : mesh_.sets()) {
    set->layout = nullptr;
    core::release(set->numbers);
    set->size = set->core_size = set->declared;
    set->exec_size = set->nonexec_size = 0;
  }
}

void DistributedMesh::ensure_rows(core::Level level) {
  if (communicator_.size() == 1) return;
  if (!distributed()) distribute(as_declared(), std::move(owners_));
  if (level <= family_->depth) return;
  std::vector<std::size_t> before;
  for (const auto& dat : mesh_.dats()) before.push_back(dat->bytes());
  grow_family(communicator_, *family_, level);
  update_records();
  for (std::size_t k = 0; k < before.size(); ++k) {
    core::Dat& dat = *mesh_.dats()[k];
    core::Buffer rows = core::allocate_zeroed(dat.bytes());
    if (before[k] > 0) std::memcpy(rows.get(), dat.rows.get(), before[k]);
    dat.take_rows(std::move(rows));
  }
}

void DistributedMesh::update_records() {
  ++epoch_;
  for (const auto& set : mesh_.sets()) {
    const core::Layout& layout = family_->sets[static_cast<std::size_t>(set->index)].layout;
    set->layout = &layout;
    set->numbers.assign(layout.global_id.begin(), layout.global_id.end());
    set->size = layout.owned();
    set->core_size = layout.within(-1);
    set->exec_size = layout.within(1) - layout.owned();
    set->nonexec_size = layout.within(2) - layout.within(1);
  }
  for (const auto& map : mesh_.maps()) {
    core::release(map->declared);
    map->map = family_->maps[static_cast<std::size_t>(map->index)].entries.data();
  }
}

void DistributedMesh::to_local(core::Dat& dat, std::span<const std::byte> declared) {
  const SetFamily& set = family_->sets[static_cast<std::size_t>(dat.set->index)];
  const auto bytes = static_cast<std::size_t>(dat.size);
  const Bytes owned = set.placement.to_owners(communicator_, declared, bytes);
  core::Buffer rows = core::allocate_zeroed(dat.bytes());
  scatter_rows(rows.get(), owned.data(), set.row_of, bytes);
  dat.take_rows(std::move(rows));
}

std::span<const std::byte> DistributedMesh::declared_rows(const core::Dat& dat,
                                                          Bytes& storage) const {
  if (!distributed()) return {dat.rows.get(), dat.declared_bytes()};
  const SetFamily& set = family_->sets[static_cast<std::size_t>(dat.set->index)];
  const auto bytes = static_cast<std::size_t>(dat.size);
  Bytes owned(set.row_of.size() * bytes);
  gather_rows(owned.data(), dat.rows.get(), set.row_of, bytes);
  storage = set.placement.to_holders(communicator_, owned, bytes);
  return storage;
}

Bytes DistributedMesh::declared_entries(const core::Map& map) const {
  if (!distributed()) return to_bytes<std::int32_t>(map.declared);
  return local_to_declared(communicator_, *family_,
                           family_->maps[static_cast<std::size_t>(map.index)]);
}

void DistributedMesh::set_declared_rows(core::Dat& dat, const void* values) {
  core::ensure(distributed(), "rows are set in the declared form");
  const Bytes zeros(values == nullptr ? dat.declared_bytes() : 0);
  to_local(dat, values == nullptr
                    ? std::span<const std::byte>(zeros)
                    : std::span(static_cast<const std::byte*>(values), dat.declared_bytes()));
}

}  // namespace op2::comm
