// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/distributed_mesh.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

#include <comm/halo/locality.hpp>
#include <comm/halo/row_copy.hpp>
#include <comm/messages/records.hpp>
#include <comm/partition/partition.hpp>
#include <core/error.hpp>

namespace op2::comm {
namespace {

/// The declared entries of a map from its local ones.
Bytes local_to_declared(Communicator& communicator, const HaloPlan& plan, const LocalMap& map) {
  const IndexMap& from = plan.sets[static_cast<std::size_t>(map.from)];
  const IndexMap& to = plan.sets[static_cast<std::size_t>(map.to)];
  std::vector<std::int32_t> by_ordinal;
  const auto arity = static_cast<std::size_t>(map.arity);
  for (const std::int32_t row : from.row_of)
    for (std::size_t column = 0; column < arity; ++column) {
      const std::int32_t target = map.entries[static_cast<std::size_t>(row) * arity + column];
      by_ordinal.push_back(
          static_cast<std::int32_t>(to.layout.global_id[static_cast<std::size_t>(target)]));
    }
  return from.placement.to_declaring_ranks(
      communicator, std::as_bytes(std::span(by_ordinal)),
      static_cast<std::size_t>(map.arity) * sizeof(std::int32_t));
}

/// The declared index of a row.
std::int32_t number_of(const core::Set& set, std::int32_t row) {
  return set.numbers.empty() ? row : set.numbers[static_cast<std::size_t>(row)];
}

/// The entries of a map on one rank in the order of the declaration.
std::vector<std::int32_t> in_declared_order(const core::Map& map) {
  const core::Set &from = *core::record_of(map.from), &to = *core::record_of(map.to);
  const auto entries = map.values();
  std::vector<std::int32_t> declared(entries.size());
  const auto arity = static_cast<std::size_t>(map.dim);
  for (std::size_t k = 0; k < declared.size(); ++k) {
    const std::int32_t row = number_of(from, static_cast<std::int32_t>(k / arity));
    declared[static_cast<std::size_t>(row) * arity + k % arity] = number_of(to, entries[k]);
  }
  return declared;
}

/// The declared entries of a map, with its source set in a new order.
/// @param positions  of the elements of the target set; empty: they keep their indices
std::vector<std::int32_t> reordered(const core::Map& map, const Order& order,
                                    const std::vector<std::int32_t>& positions) {
  const auto declared = map.values();
  std::vector<std::int32_t> entries(declared.size());
  const auto arity = static_cast<std::size_t>(map.dim);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const std::size_t element =
        order.empty() ? k / arity : static_cast<std::size_t>(order[k / arity]);
    const std::int32_t target = declared[element * arity + k % arity];
    entries[k] = positions.empty() ? target : positions[static_cast<std::size_t>(target)];
  }
  return entries;
}

/// @param order  the declared row at each position; empty: as declared
void put_in_order(std::byte* to, std::span<const std::byte> declared, const Order& order,
                  std::size_t bytes) {
  if (!order.empty())
    gather_rows(to, declared.data(), order, bytes);
  else if (!declared.empty())
    std::memcpy(to, declared.data(), declared.size());
}

}  // namespace

core::Block DistributedMesh::block_of(std::int32_t declared, const char* set) const {
  const auto [first, all] = communicator_.partial_sum(declared);
  const core::Block block{first, declared, all};
  if (block.global_size > std::numeric_limits<std::int32_t>::max())
    core::fail(ErrorCode::too_large,
               "set '{}' has {} elements on all ranks; a global index is an int, at most 2^31 - 1",
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

void DistributedMesh::distribute(const BlockMesh& blocks, std::vector<Owners> owners) {
  owners_ = std::move(owners);
  for (std::size_t s = owners_.size(); s < blocks.sets.size(); ++s)
    owners_.push_back(block_owners(blocks.sets[s], communicator_.rank()));
  halo_plan_ = std::make_unique<HaloPlan>(
      build_halo_plan(communicator_, blocks, owners_, {renumber_, weights()}));
  ++arrangement_;
  update_records();
  for (const auto& dat : mesh_.dats())
    to_local(*dat, {dat->rows.host_read(), dat->declared_bytes()});
}

void DistributedMesh::return_to_declared() {
  judged_ = false;
  if (as_declared()) return;
  for (const auto& dat : mesh_.dats()) {
    Bytes storage;
    const auto declared = declared_rows(*dat, storage);
    if (storage.empty()) continue;  // the rows are in this order
    core::HostBytes rows = core::zeroed_bytes(declared.size());
    std::memcpy(rows.memory.get(), declared.data(), declared.size());
    dat->take_rows(std::move(rows));
  }
  for (const auto& map : mesh_.maps())
    map->take_entries(core::bytes_of(from_bytes<std::int32_t>(declared_entries(*map))));
  ++epoch_;
  ++arrangement_;
  reordered_ = false;
  if (distributed())
    undistribute();
  else
    for (const auto& set : mesh_.sets()) core::release(set->numbers);
}

void DistributedMesh::undistribute() {
  halo_plan_.reset();
  for (const auto& set : mesh_.sets()) {
    set->layout = nullptr;
    core::release(set->numbers);
    set->size = set->core_size = set->declared;
    set->exec_size = set->nonexec_size = 0;
  }
}

void DistributedMesh::ensure_rows(core::Level level) {
  if (communicator_.size() == 1) return reorder();
  if (!distributed()) distribute(declared_mesh(), std::move(owners_));
  if (level <= halo_plan_->depth) return;
  grow_halo_plan(communicator_, *halo_plan_, level);
  update_records();
  for (const auto& dat : mesh_.dats()) dat->resize_rows();
}

std::vector<std::int64_t> DistributedMesh::weights() const {
  std::vector<std::int64_t> weights(mesh_.sets().size(), 0);
  for (const auto& dat : mesh_.dats())
    weights[static_cast<std::size_t>(dat->set->index)] += dat->size * dat->on().global_size;
  return weights;
}

void DistributedMesh::reorder() {
  if (judged_ || keeps_order_) return;
  judged_ = true;
  LocalMesh local{{}, weights(), {}};
  for (const auto& set : mesh_.sets()) local.sizes.push_back(set->size);
  for (const auto& map : mesh_.maps())
    local.maps.push_back({map->from->index, map->to->index, map->dim, map->values()});
  std::vector<Order> orders = locality_orders(local, renumber_);
  if (std::ranges::all_of(orders, &Order::empty)) return;
  reordered_ = true;
  std::vector<std::vector<std::int32_t>> positions;
  for (const Order& order : orders) positions.push_back(positions_in(order));
  for (const auto& map : mesh_.maps())
    map->take_entries(
        core::bytes_of(reordered(*map, orders[static_cast<std::size_t>(map->from->index)],
                                 positions[static_cast<std::size_t>(map->to->index)])));
  for (const auto& set : mesh_.sets())
    set->numbers = std::move(orders[static_cast<std::size_t>(set->index)]);
  for (const auto& dat : mesh_.dats())
    if (!dat->on().numbers.empty()) to_local(*dat, {dat->rows.host_read(), dat->declared_bytes()});
  ++epoch_;
  ++arrangement_;
}

void DistributedMesh::update_records() {
  ++epoch_;
  for (const auto& set : mesh_.sets()) {
    const core::Layout& layout = halo_plan_->sets[static_cast<std::size_t>(set->index)].layout;
    set->layout = &layout;
    set->numbers.assign(layout.global_id.begin(), layout.global_id.end());
    set->size = layout.owned();
    set->core_size = layout.within(-1);
    set->exec_size = layout.within(1) - layout.owned();
    set->nonexec_size = layout.within(2) - layout.within(1);
  }
  for (const auto& map : mesh_.maps())
    map->take_entries(core::bytes_within(
        std::span(halo_plan_->maps[static_cast<std::size_t>(map->index)].entries)));
}

void DistributedMesh::to_local(core::Dat& dat, std::span<const std::byte> declared) {
  const auto bytes = static_cast<std::size_t>(dat.size);
  if (!distributed()) {
    core::HostBytes rows = core::zeroed_bytes(dat.bytes());
    put_in_order(rows.memory.get(), declared, dat.on().numbers, bytes);
    return dat.take_rows(std::move(rows));
  }
  const IndexMap& set = halo_plan_->sets[static_cast<std::size_t>(dat.set->index)];
  const Bytes owned = set.placement.to_owners(communicator_, declared, bytes);
  core::HostBytes rows = core::zeroed_bytes(dat.bytes());
  scatter_rows(rows.memory.get(), owned.data(), set.row_of, bytes);
  dat.take_rows(std::move(rows));
}

std::span<const std::byte> DistributedMesh::declared_rows(const core::Dat& dat,
                                                          Bytes& storage) const {
  const auto bytes = static_cast<std::size_t>(dat.size);
  const auto& numbers = dat.on().numbers;
  if (!distributed() && numbers.empty()) return {dat.rows.host_read(), dat.declared_bytes()};
  if (!distributed()) {
    storage.resize(dat.declared_bytes());
    scatter_rows(storage.data(), dat.rows.host_read(), numbers, bytes);
    return storage;
  }
  const IndexMap& set = halo_plan_->sets[static_cast<std::size_t>(dat.set->index)];
  Bytes owned(set.row_of.size() * bytes);
  gather_rows(owned.data(), dat.rows.host_read(), set.row_of, bytes);
  storage = set.placement.to_declaring_ranks(communicator_, owned, bytes);
  return storage;
}

void DistributedMesh::copy_declared(const core::Dat& dat, std::int64_t low, std::int64_t high,
                                    std::byte* to) const {
  const auto bytes = static_cast<std::size_t>(dat.size);
  const std::byte* rows = dat.rows.host_read();
  const auto& numbers = dat.on().numbers;
  if (numbers.empty())
    std::memcpy(to, rows + static_cast<std::size_t>(low) * bytes,
                static_cast<std::size_t>(high - low + 1) * bytes);
  else if (high - low + 1 == std::ssize(numbers))
    scatter_rows(to, rows, numbers, bytes);
  else
    for (std::size_t row = 0; row < numbers.size(); ++row)
      if (numbers[row] >= low && numbers[row] <= high)
        std::memcpy(to + static_cast<std::size_t>(numbers[row] - low) * bytes, rows + row * bytes,
                    bytes);
}

Bytes DistributedMesh::declared_entries(const core::Map& map) const {
  if (!distributed()) return to_bytes<std::int32_t>(in_declared_order(map));
  return local_to_declared(communicator_, *halo_plan_,
                           halo_plan_->maps[static_cast<std::size_t>(map.index)]);
}

std::vector<GlobalId> DistributedMesh::owned_targets(const core::Map& map) const {
  const core::Set& to = *core::record_of(map.to);
  const auto count = static_cast<std::size_t>(map.from->size) * static_cast<std::size_t>(map.dim);
  std::vector<GlobalId> targets(count);
  for (std::size_t k = 0; k < count; ++k) targets[k] = number_of(to, map.map[k]);
  return targets;
}

void DistributedMesh::set_declared_rows(core::Dat& dat, const void* values) {
  core::ensure(!as_declared(), "rows are set in the declared form");
  const Bytes zeros(values == nullptr ? dat.declared_bytes() : 0);
  to_local(dat, values == nullptr
                    ? std::span<const std::byte>(zeros)
                    : std::span(static_cast<const std::byte*>(values), dat.declared_bytes()));
}

}  // namespace op2::comm
