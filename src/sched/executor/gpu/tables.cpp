// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/gpu/tables.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <core/arithmetic.hpp>
#include <core/mesh.hpp>
#include <sched/executor/cpu/slots.hpp>

namespace op2::sched {
namespace {

/// Entries of a column begin at multiples of this many.
constexpr std::int64_t column_alignment = 64;

std::int64_t rows_of(const core::Map& map) {
  return static_cast<std::int64_t>(map.values().size()) / map.dim;
}

std::int64_t stride_of(const core::Map& map) {
  return core::round_up(rows_of(map), column_alignment);
}

std::vector<std::int32_t> by_columns(const core::Map& map) {
  const std::int64_t rows = rows_of(map), stride = stride_of(map);
  std::vector<std::int32_t> entries(static_cast<std::size_t>(stride * map.dim));
  const std::int32_t* from = map.values().data();
  for (std::int64_t row = 0; row < rows; ++row)
    for (int column = 0; column < map.dim; ++column) entries[column * stride + row] = *from++;
  return entries;
}

const std::int32_t* first_of(const core::ListedBuffer& table) {
  return reinterpret_cast<const std::int32_t*>(table.get().value);
}

}  // namespace

core::ListedBuffer DeviceTables::on_device(const std::string& label,
                                           std::span<const std::int32_t> entries) const {
  if (entries.empty()) return {};
  core::ListedBuffer memory = copies_.allocate(label, entries.size_bytes());
  copies_.space().main_stream().upload_and_wait(memory.get(), std::as_bytes(entries).data(),
                                                entries.size_bytes());
  return memory;
}

const std::int32_t* DeviceTables::column_of(const core::Map& map, int column) {
  core::ListedBuffer& table = columns_[&map];
  if (table == nullptr)
    table = on_device(fmt::format("map '{}' by columns", map.name_storage), by_columns(map));
  return table == nullptr ? nullptr : first_of(table) + column * stride_of(map);
}

const std::int32_t* DeviceTables::numbers_of(const core::Set& set) {
  if (set.global_indices.empty()) return nullptr;
  core::ListedBuffer& table = numbers_[&set];
  if (table == nullptr)
    table = on_device(fmt::format("indices of set '{}'", set.name_storage), set.global_indices);
  return first_of(table);
}

core::DeviceAddress DeviceTables::second_of(const core::Dat& dat) {
  core::ListedBuffer& rows = second_[&dat];
  if (const std::size_t bytes = dat.rows.bytes(); rows == nullptr && bytes > 0) {
    rows = copies_.allocate("second buffer of " + dat.rows.label(), bytes,
                            "set OP2_DEBUG=no_fuse, which needs no second buffers");
    copies_.space().main_stream().fill(rows.get(), std::byte{0}, bytes);
  }
  return rows.get();
}

/// @param make  the lists of the key
template <class Make>
const std::vector<IncrementTable>& DeviceTables::find(const Key& key, const Make& make) {
  if (const auto found = increments_.find(key); found != increments_.end())
    return found->second.tables;
  const auto all = make();
  std::vector<std::int32_t> entries;
  for (const IncrementLists& lists : all)
    for (const auto* list : {&lists.rows, &lists.start, &lists.increments})
      entries.insert(entries.end(), list->begin(), list->end());
  Stored stored{on_device(fmt::format("increments by elements of set '{}', row by row",
                                      key.set->name_storage),
                          entries),
                {}};
  const std::int32_t* at = first_of(stored.memory);
  for (const IncrementLists& lists : all) {
    const std::int32_t* const start = at + lists.rows.size();
    const std::int32_t* const increments = start + lists.start.size();
    const std::int32_t* const end = increments + lists.increments.size();
    stored.tables.push_back({lists.positions, lists.rows.empty() ? nullptr : at, start, increments,
                             sizeof(std::int32_t) * static_cast<std::size_t>(end - at),
                             most_increments(lists)});
    at = end;
  }
  return increments_.emplace(key, std::move(stored)).first->second.tables;
}

IncrementTable DeviceTables::elements(const core::Set& set, const std::vector<RowAccess>& columns,
                                      IndexRange elements) {
  if (elements.empty()) return {};
  return find({Kind::elements, &set, columns, elements, {0, 0}},
              [&] { return std::array{elements_by_row(columns, elements)}; })
      .front();
}

IncrementTable DeviceTables::elements(const core::Set& set, const std::vector<RowAccess>& columns,
                                      IndexRange elements, IndexRange rows) {
  return find({Kind::elements_of_rows, &set, columns, elements, rows},
              [&] { return std::array{elements_by_row(columns, elements, rows)}; })
      .front();
}

std::array<IncrementTable, 2> DeviceTables::parts(const core::Set& set,
                                                  const std::vector<RowAccess>& columns,
                                                  std::int64_t interior, std::int64_t end) {
  const auto& tables = find({Kind::parts, &set, columns, {interior, end}, {0, 0}}, [&] {
    return parts_by_row(columns, canonical_positions(set, mesh_.ordering_map(set), end), interior,
                        end);
  });
  return {tables[0], tables[1]};
}

core::DeviceAddress DeviceTables::memory_of_parts(const core::Dat& dat,
                                                  const std::vector<RowAccess>& columns,
                                                  std::int64_t elements) {
  core::ListedBuffer& parts = parts_[{&dat, columns}];
  const std::size_t bytes = dat.size * columns.size() * static_cast<std::size_t>(elements);
  if (parts == nullptr && bytes > 0)
    parts = copies_.allocate("what elements add to rows of " + dat.rows.label(), bytes,
                             "unset OP2_REPRODUCIBLE, which needs it");
  return parts.get();
}

void DeviceTables::clear() {
  second_.clear();
  columns_.clear();
  numbers_.clear();
  increments_.clear();
  parts_.clear();
}

}  // namespace op2::sched
