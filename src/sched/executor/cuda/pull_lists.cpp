// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/pull_lists.hpp>

#include <algorithm>
#include <limits>

#include <core/error.hpp>

namespace op2::sched {
namespace {

/// Calls `visit` with each row that an iteration adds to, once.
template <class Visit>
void for_each_row(std::span<const RowAccess> columns, std::int64_t iteration, const Visit& visit) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::int64_t row = columns[c].row_of(iteration);
    const auto earlier = columns.first(c);
    if (std::ranges::none_of(
            earlier, [&](const RowAccess& column) { return column.row_of(iteration) == row; }))
      visit(static_cast<std::size_t>(row));
  }
}

void check_pull_list_size(std::size_t columns, std::int64_t iterations) {
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (iterations > most / static_cast<std::int64_t>(columns))
    core::fail(ErrorCode::too_large,
               "a loop has too many increments to gather: {} elements add to {} rows each, at most "
               "{} increments are possible; set OP2_GPU_INC=rows",
               iterations, columns, most);
}

/// How many iterations add to each row of the set.
std::vector<std::int32_t> counts_of(std::span<const RowAccess> columns, IndexRange iterations) {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(columns.front().rows));
  for (std::int64_t i = iterations.begin; i < iterations.end; ++i)
    for_each_row(columns, i, [&](std::size_t row) { ++counts[row]; });
  return counts;
}

/// Rows, and where the iterations of each begin.
/// @param all  also rows without iterations
PullLists with_rows(std::span<const std::int32_t> counts, IndexRange rows, bool all) {
  PullLists lists;
  lists.start.push_back(0);
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const std::int32_t count = counts[static_cast<std::size_t>(row)];
    if (count == 0 && !all) continue;
    lists.rows.push_back(static_cast<std::int32_t>(row));
    lists.start.push_back(lists.start.back() + count);
  }
  return lists;
}

void add_iterations(PullLists& lists, std::span<const RowAccess> columns, IndexRange iterations) {
  constexpr std::int32_t not_listed = -1;
  std::vector<std::int32_t> next(static_cast<std::size_t>(columns.front().rows), not_listed);
  for (std::size_t k = 0; k < lists.rows.size(); ++k)
    next[static_cast<std::size_t>(lists.rows[k])] = lists.start[k];
  lists.iterations.resize(static_cast<std::size_t>(lists.start.back()));
  for (std::int64_t i = iterations.begin; i < iterations.end; ++i)
    for_each_row(columns, i, [&](std::size_t row) {
      if (next[row] == not_listed) return;
      lists.iterations[static_cast<std::size_t>(next[row]++)] = static_cast<std::int32_t>(i);
    });
}

}  // namespace

PullLists make_pull_lists(std::span<const RowAccess> columns, IndexRange iterations) {
  check_pull_list_size(columns.size(), iterations.size());
  const std::vector<std::int32_t> counts = counts_of(columns, iterations);
  PullLists lists = with_rows(counts, {0, std::ssize(counts)}, false);
  add_iterations(lists, columns, iterations);
  const auto size = static_cast<std::int64_t>(lists.rows.size());
  lists.positions = {0, size};
  if (size > 0 && lists.rows.back() - lists.rows.front() == size - 1) {
    lists.positions = {lists.rows.front(), lists.rows.front() + size};
    lists.rows.clear();
  }
  return lists;
}

std::int64_t most_iterations(const PullLists& lists) {
  std::int64_t most = 0;
  for (std::size_t k = 1; k < lists.start.size(); ++k)
    most = std::max<std::int64_t>(most, lists.start[k] - lists.start[k - 1]);
  return most;
}

PullLists make_gather_lists(std::span<const RowAccess> columns, IndexRange iterations,
                            IndexRange rows) {
  check_pull_list_size(columns.size(), iterations.size());
  PullLists lists = with_rows(counts_of(columns, iterations), rows, true);
  add_iterations(lists, columns, iterations);
  lists.positions = rows;
  lists.rows.clear();
  return lists;
}

}  // namespace op2::sched
