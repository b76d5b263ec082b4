// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/part_tables.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <core/followed_map.hpp>
#include <sched/executor/cpu/find_slots.hpp>
#include <sched/executor/cuda/device_shortage.hpp>

namespace op2::sched {

void PartTables::fill(Table& table, const Key& key) {
  const std::vector<std::int64_t> places =
      canonical_places(*key.set, core::followed_map(mesh_, *key.set), key.end);
  const PhaseParts made = make_part_lists(key.columns, places, key.interior, key.end);
  std::size_t all = 0;
  for (const auto& [phase, lists] : {std::pair(0, &made.interior), std::pair(1, &made.boundary)}) {
    table.rows[static_cast<std::size_t>(phase)] = lists->rows.size();
    table.parts[static_cast<std::size_t>(phase)] = lists->parts.size();
    all += lists->rows.size() + lists->start.size() + lists->parts.size();
  }
  core::HostBytes bytes = core::zeroed_bytes(sizeof(std::int32_t) * all);
  auto* to = reinterpret_cast<std::int32_t*>(bytes.memory.get());
  for (const PartLists* lists : {&made.interior, &made.boundary})
    for (const auto* list : {&lists->rows, &lists->start, &lists->parts})
      to = std::ranges::copy(*list, to).out;
  table.lists.set_label(
      fmt::format("increments by elements of set '{}', row by row", key.set->name_storage));
  table.lists.replace(std::move(bytes));
  table.lists.use(&copies_);
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
  core::DeviceBuffer& parts = parts_[{&dat, columns}];
  const std::size_t bytes = dat.size * columns.size() * static_cast<std::size_t>(elements);
  if (parts == nullptr && bytes > 0)
    allocating(copies_, "what elements add to rows (OP2_REPRODUCIBLE=on)",
               [&] { parts = core::allocate_on(copies_.space(), bytes); });
  return parts.get();
}

void PartTables::clear() {
  tables_.clear();
  parts_.clear();
}

}  // namespace op2::sched
