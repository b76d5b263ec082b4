// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/part_tables.hpp>

#include <utility>

#include <core/ordering_map.hpp>
#include <sched/executor/cpu/find_slots.hpp>
#include <sched/executor/cuda/store_lists.hpp>

namespace op2::sched {

void PartTables::fill(Table& table, const Key& key) {
  const std::vector<std::int64_t> places =
      canonical_places(*key.set, core::ordering_map(mesh_, *key.set), key.end);
  const PhaseParts made = make_part_lists(key.columns, places, key.interior, key.end);
  const PartLists &interior = made.interior, &boundary = made.boundary;
  table.rows = {interior.rows.size(), boundary.rows.size()};
  table.parts = {interior.parts.size(), boundary.parts.size()};
  store_lists(table.lists,
              {&interior.rows, &interior.start, &interior.parts, &boundary.rows, &boundary.start,
               &boundary.parts},
              key.set->name_storage, copies_);
}

std::array<PartTable, 2> PartTables::lists_of(const core::Set& set,
                                              const std::vector<RowAccess>& columns,
                                              std::int64_t interior, std::int64_t end) {
  Key key{&set, columns, interior, end};
  auto found = tables_.find(key);
  if (found == tables_.end()) {
    found = tables_.try_emplace(std::move(key)).first;
    try {
      fill(found->second, found->first);
    } catch (...) {
      tables_.erase(found);
      throw;
    }
  }
  const Table& table = found->second;
  std::array<PartTable, 2> on_device;
  const auto* at = reinterpret_cast<const std::int32_t*>(table.lists.device_read().value);
  for (std::size_t phase = 0; phase < 2; ++phase) {
    const std::size_t rows = table.rows[phase];
    if (rows == 0) continue;
    on_device[phase] = {static_cast<std::int64_t>(rows), at, at + rows, at + rows + rows + 1};
    at += rows + rows + 1 + table.parts[phase];
  }
  return on_device;
}

core::DeviceAddress PartTables::parts_of(const core::Dat& dat,
                                         const std::vector<RowAccess>& columns,
                                         std::int64_t elements) {
  core::ListedBuffer& parts = parts_[{&dat, columns}];
  const std::size_t bytes = dat.size * columns.size() * static_cast<std::size_t>(elements);
  if (parts == nullptr && bytes > 0)
    parts = copies_.allocate("what elements add to rows of " + dat.rows.label(), bytes,
                             "unset OP2_REPRODUCIBLE, which needs it");
  return parts.get();
}

void PartTables::clear() {
  tables_.clear();
  parts_.clear();
}

}  // namespace op2::sched
