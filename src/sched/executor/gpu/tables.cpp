// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/gpu/tables.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <core/arithmetic.hpp>
#include <core/error.hpp>
#include <core/inverse_map.hpp>
#include <core/mesh.hpp>
#include <sched/executor/cpu/slots.hpp>

namespace op2::sched {
namespace {

using Increments = core::InverseMap<std::int32_t, std::int32_t>;

bool fit_into_lists(std::size_t columns, std::int64_t elements) {
  return elements <= std::numeric_limits<std::int32_t>::max() / static_cast<std::int64_t>(columns);
}

/// Calls `visit` with each row that an element adds to, once.
template <class Visit>
void for_each_row(std::span<const RowAccess> columns, std::int64_t element, const Visit& visit) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::int64_t row = columns[c].row_of(element);
    const auto earlier = columns.first(c);
    if (std::ranges::none_of(
            earlier, [&](const RowAccess& column) { return column.row_of(element) == row; }))
      visit(row);
  }
}

/// The elements that add to each of `rows`.
Increments elements_of_rows(std::span<const RowAccess> columns, IndexRange elements,
                            IndexRange rows) {
  if (!fit_into_lists(columns.size(), elements.size()))
    core::fail(ErrorCode::too_large,
               "a loop has too many increments to gather: {} elements add to {} rows each, at most "
               "{} increments are possible; set OP2_GPU_INC=rows",
               elements.size(), columns.size(), std::numeric_limits<std::int32_t>::max());
  return core::invert<std::int32_t, std::int32_t>(
      static_cast<std::size_t>(rows.size()), [&](const auto& add) {
        for (std::int64_t e = elements.begin; e < elements.end; ++e)
          for_each_row(columns, e, [&](std::int64_t row) {
            if (rows.begin <= row && row < rows.end)
              add(row - rows.begin, static_cast<std::int32_t>(e));
          });
      });
}

/// Appends a row.
void add_row(std::int64_t row, std::span<const std::int32_t> increments, IncrementLists& lists) {
  if (lists.start.empty()) lists.start.push_back(0);
  lists.rows.push_back(static_cast<std::int32_t>(row));
  lists.start.push_back(lists.start.back() + static_cast<std::int32_t>(increments.size()));
  ++lists.positions.end;
}

std::vector<std::int32_t> elements_in_order_of(std::span<const std::int64_t> positions,
                                               std::int64_t end) {
  std::vector<std::int32_t> elements(static_cast<std::size_t>(end));
  std::iota(elements.begin(), elements.end(), 0);
  if (!positions.empty())
    std::ranges::sort(elements, {}, [&](std::int32_t element) { return positions[element]; });
  return elements;
}

}  // namespace

IncrementLists elements_by_row(std::span<const RowAccess> columns, IndexRange elements) {
  Increments by_row = elements_of_rows(columns, elements, {0, columns.front().rows});
  IncrementLists lists;
  lists.start.push_back(0);
  for (std::size_t row = 0; row < by_row.targets(); ++row)
    if (const auto found = by_row.sources_of(row); !found.empty())
      add_row(static_cast<std::int64_t>(row), found, lists);
  lists.increments = std::move(by_row.values);
  const std::int64_t size = lists.positions.size();
  if (size > 0 && lists.rows.back() - lists.rows.front() == size - 1) {
    lists.positions = {lists.rows.front(), lists.rows.front() + size};
    lists.rows.clear();
  }
  return lists;
}

IncrementLists elements_by_row(std::span<const RowAccess> columns, IndexRange elements,
                               IndexRange rows) {
  Increments by_row = elements_of_rows(columns, elements, rows);
  return {rows, {}, std::move(by_row.first), std::move(by_row.values)};
}

std::array<IncrementLists, 2> parts_by_row(std::span<const RowAccess> columns,
                                           std::span<const std::int64_t> positions,
                                           std::int64_t interior, std::int64_t end) {
  if (!fit_into_lists(columns.size(), end))
    core::fail(ErrorCode::too_large,
               "a loop has too many increments for OP2_REPRODUCIBLE=on on a GPU: {} elements of a "
               "rank add to {} rows each, at most {} increments are possible; use more ranks",
               end, columns.size(), std::numeric_limits<std::int32_t>::max());
  const auto rows = static_cast<std::size_t>(columns.front().rows);
  std::vector<char> waits(rows, 0);  // per row: whether an element of the boundary phase adds to it
  for (const RowAccess& column : columns)
    for (std::int64_t element = interior; element < end; ++element)
      waits[column.row_of(element)] = 1;
  const std::vector<std::int32_t> elements = elements_in_order_of(positions, end);
  const auto by_row = core::invert<std::int32_t, std::int32_t>(rows, [&](const auto& add) {
    const auto width = static_cast<std::int32_t>(columns.size());
    for (const std::int32_t element : elements)
      for (std::int32_t c = 0; c < width; ++c) add(columns[c].row_of(element), element * width + c);
  });
  std::array<IncrementLists, 2> phases;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto parts = by_row.sources_of(row);
    if (parts.empty()) continue;
    IncrementLists& lists = phases[waits[row] != 0 ? 1 : 0];
    add_row(static_cast<std::int64_t>(row), parts, lists);
    lists.increments.insert(lists.increments.end(), parts.begin(), parts.end());
  }
  return phases;
}

std::int64_t most_increments(const IncrementLists& lists) {
  std::int64_t most = 0;
  for (std::size_t k = 1; k < lists.start.size(); ++k)
    most = std::max<std::int64_t>(most, lists.start[k] - lists.start[k - 1]);
  return most;
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
