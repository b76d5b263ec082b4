// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/tables.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <core/arithmetic.hpp>
#include <core/ordering_map.hpp>
#include <sched/executor/cpu/slots.hpp>

namespace op2::sched {
namespace {

const std::int32_t* on_device(const core::Array& table) {
  return reinterpret_cast<const std::int32_t*>(table.device_read().value);
}

}  // namespace

void IncrementTables::store(Stored& stored, std::span<const IncrementLists> all,
                            const core::Set& set) {
  std::size_t size = 0;
  for (const IncrementLists& lists : all) {
    stored.shapes.push_back({lists.positions, lists.rows.size(), lists.start.size(),
                             lists.increments.size(), most_increments(lists)});
    size += stored.shapes.back().size();
  }
  core::HostBytes bytes = core::zeroed_bytes(sizeof(std::int32_t) * size);
  auto* at = reinterpret_cast<std::int32_t*>(bytes.memory.get());
  for (const IncrementLists& lists : all)
    for (const auto* list : {&lists.rows, &lists.start, &lists.increments})
      at = std::ranges::copy(*list, at).out;
  stored.lists.set_label(
      fmt::format("increments by elements of set '{}', row by row", set.name_storage));
  stored.lists.replace(std::move(bytes));
  stored.lists.use(&copies_);
}

/// @param make  the lists of the key
template <class Make>
std::vector<IncrementTable> IncrementTables::find(Key key, const Make& make) {
  auto found = stored_.find(key);
  if (found == stored_.end()) {
    const auto lists = make();
    const core::Set& set = *key.set;
    found = stored_.try_emplace(std::move(key)).first;
    try {
      store(found->second, lists, set);
    } catch (...) {
      stored_.erase(found);
      throw;
    }
  }
  std::vector<IncrementTable> tables;
  const std::int32_t* at = on_device(found->second.lists);
  for (const ListShape& shape : found->second.shapes) {
    tables.push_back({shape.positions, shape.rows == 0 ? nullptr : at, at + shape.rows,
                      at + shape.rows + shape.start, sizeof(std::int32_t) * shape.size(),
                      shape.most});
    at += shape.size();
  }
  return tables;
}

IncrementTable IncrementTables::elements(const core::Set& set,
                                         const std::vector<RowAccess>& columns,
                                         IndexRange elements) {
  if (elements.empty()) return {};
  return find({Kind::elements, &set, columns, elements, {0, 0}},
              [&] { return std::array{elements_by_row(columns, elements)}; })
      .front();
}

IncrementTable IncrementTables::elements(const core::Set& set,
                                         const std::vector<RowAccess>& columns, IndexRange elements,
                                         IndexRange rows) {
  return find({Kind::elements_of_rows, &set, columns, elements, rows},
              [&] { return std::array{elements_by_row(columns, elements, rows)}; })
      .front();
}

std::array<IncrementTable, 2> IncrementTables::parts(const core::Set& set,
                                                     const std::vector<RowAccess>& columns,
                                                     std::int64_t interior, std::int64_t end) {
  const auto tables = find({Kind::parts, &set, columns, {interior, end}, {0, 0}}, [&] {
    return parts_by_row(columns, canonical_positions(set, core::ordering_map(mesh_, set), end),
                        interior, end);
  });
  return {tables[0], tables[1]};
}

core::DeviceAddress IncrementTables::memory_of_parts(const core::Dat& dat,
                                                     const std::vector<RowAccess>& columns,
                                                     std::int64_t elements) {
  core::ListedBuffer& parts = parts_[{&dat, columns}];
  const std::size_t bytes = dat.size * columns.size() * static_cast<std::size_t>(elements);
  if (parts == nullptr && bytes > 0)
    parts = copies_.allocate("what elements add to rows of " + dat.rows.label(), bytes,
                             "unset OP2_REPRODUCIBLE, which needs it");
  return parts.get();
}

void IncrementTables::clear() {
  stored_.clear();
  parts_.clear();
}

namespace {

/// Entries of a column begin at multiples of this many.
constexpr std::int64_t column_alignment = 64;

std::int64_t rows_of(const core::Map& map) {
  return static_cast<std::int64_t>(map.values().size()) / map.dim;
}

std::int64_t stride_of(const core::Map& map) {
  return core::round_up(rows_of(map), column_alignment);
}

core::HostBytes by_columns(const core::Map& map) {
  const std::int64_t rows = rows_of(map), stride = stride_of(map);
  core::HostBytes bytes = core::zeroed_bytes(sizeof(std::int32_t) * stride * map.dim);
  auto* const entries = reinterpret_cast<std::int32_t*>(bytes.memory.get());
  const std::int32_t* from = map.values().data();
  for (std::int64_t row = 0; row < rows; ++row)
    for (int column = 0; column < map.dim; ++column) entries[column * stride + row] = *from++;
  return bytes;
}

}  // namespace

const std::int32_t* DeviceTables::column_of(const core::Map& map, int column) {
  const auto [table, is_new] = columns_.try_emplace(&map);
  if (is_new) {
    table->second.set_label(fmt::format("map '{}' by columns", map.name_storage));
    table->second.replace(by_columns(map));
    table->second.use(&copies_);
  }
  const std::int32_t* const entries = on_device(table->second);
  return entries == nullptr ? nullptr : entries + column * stride_of(map);
}

const std::int32_t* DeviceTables::numbers_of(const core::Set& set) {
  if (set.global_indices.empty()) return nullptr;
  const auto [table, is_new] = numbers_.try_emplace(&set);
  if (is_new) {
    table->second.set_label(fmt::format("indices of set '{}'", set.name_storage));
    table->second.replace(core::bytes_of(set.global_indices));
    table->second.use(&copies_);
  }
  return on_device(table->second);
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

void DeviceTables::clear() {
  second_.clear();
  columns_.clear();
  numbers_.clear();
  increments_.clear();
}

}  // namespace op2::sched
