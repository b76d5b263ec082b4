// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/part_lists.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <core/error.hpp>

namespace op2::sched {
namespace {

void check_part_list_size(std::size_t columns, std::int64_t elements) {
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (elements > most / static_cast<std::int64_t>(columns))
    core::fail(ErrorCode::too_large,
               "a loop has too many increments for OP2_REPRODUCIBLE=on on a GPU: {} elements of a "
               "rank add to {} rows each, at most {} increments are possible; use more ranks",
               elements, columns, most);
}

std::vector<std::int32_t> in_order_of(std::span<const std::int64_t> places, std::int64_t end) {
  std::vector<std::int32_t> elements(static_cast<std::size_t>(end));
  std::iota(elements.begin(), elements.end(), 0);
  if (!places.empty())
    std::ranges::sort(elements, {}, [&](std::int32_t element) {
      return places[static_cast<std::size_t>(element)];
    });
  return elements;
}

/// How many parts rows have.
struct Counts {
  std::vector<std::int32_t> all, of_boundary;  ///< per row of the set
};

Counts counts_of(std::span<const RowAccess> columns, std::int64_t interior, std::int64_t end) {
  const auto rows = static_cast<std::size_t>(columns.front().rows);
  Counts counts{std::vector<std::int32_t>(rows), std::vector<std::int32_t>(rows)};
  for (const RowAccess& column : columns)
    for (std::int64_t element = 0; element < end; ++element) {
      const auto row = static_cast<std::size_t>(column.row_of(element));
      ++counts.all[row];
      if (element >= interior) ++counts.of_boundary[row];
    }
  return counts;
}

void add_row(PartLists& lists, std::size_t row, std::int32_t parts) {
  if (lists.start.empty()) lists.start.push_back(0);
  lists.rows.push_back(static_cast<std::int32_t>(row));
  lists.start.push_back(lists.start.back() + parts);
}

}  // namespace

PhaseParts make_part_lists(std::span<const RowAccess> columns, std::span<const std::int64_t> places,
                           std::int64_t interior, std::int64_t end) {
  check_part_list_size(columns.size(), end);
  const Counts counts = counts_of(columns, interior, end);
  PhaseParts made;
  const auto lists_of = [&](std::size_t row) -> PartLists& {
    return counts.of_boundary[row] == 0 ? made.interior : made.boundary;
  };
  std::vector<std::int32_t> next(counts.all.size());  // where the row's next part goes
  for (std::size_t row = 0; row < next.size(); ++row) {
    if (counts.all[row] == 0) continue;
    PartLists& lists = lists_of(row);
    add_row(lists, row, counts.all[row]);
    next[row] = lists.start[lists.start.size() - 2];
  }
  for (PartLists* lists : {&made.interior, &made.boundary})
    if (!lists->rows.empty()) lists->parts.resize(static_cast<std::size_t>(lists->start.back()));
  const auto each = static_cast<std::int32_t>(columns.size());
  for (const std::int32_t element : in_order_of(places, end))
    for (std::int32_t c = 0; c < each; ++c) {
      const auto row =
          static_cast<std::size_t>(columns[static_cast<std::size_t>(c)].row_of(element));
      lists_of(row).parts[static_cast<std::size_t>(next[row]++)] = element * each + c;
    }
  return made;
}

}  // namespace op2::sched
