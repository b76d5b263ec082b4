// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/gpu/lists.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <core/error.hpp>
#include <core/inverse_map.hpp>

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
    std::ranges::sort(elements, {}, [&](std::int32_t element) {
      return positions[static_cast<std::size_t>(element)];
    });
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
      waits[static_cast<std::size_t>(column.row_of(element))] = 1;
  const std::vector<std::int32_t> elements = elements_in_order_of(positions, end);
  const auto by_row = core::invert<std::int32_t, std::int32_t>(rows, [&](const auto& add) {
    const auto width = static_cast<std::int32_t>(columns.size());
    for (const std::int32_t element : elements)
      for (std::int32_t c = 0; c < width; ++c)
        add(columns[static_cast<std::size_t>(c)].row_of(element), element * width + c);
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

}  // namespace op2::sched
