// SPDX-License-Identifier: BSD-3-Clause
// Which iterations add to which rows, for kernels in which rows gather increments.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <sched/index_range.hpp>
#include <sched/row_access.hpp>

namespace op2::sched {

struct PullLists {
  /// What threads execute: rows that some iteration adds to, ascending, are at these positions.
  IndexRange positions{0, 0};
  std::vector<std::int32_t> rows;        ///< [positions]; empty: each position is a row
  std::vector<std::int32_t> start;       ///< [positions + 1]: where the iterations of each begin
  std::vector<std::int32_t> iterations;  ///< each once for a row, ascending
};

/// Cost: two passes over the columns for these iterations, and one over the rows of the set.
/// @param columns  the columns of maps onto one set through which an iteration adds; at least one
/// @throws Error too_large  there may be more than 2^31 - 1 increments
PullLists make_pull_lists(std::span<const RowAccess> columns, IndexRange iterations);

/// The same for some rows of the set, also those that no iteration adds to.
PullLists make_gather_lists(std::span<const RowAccess> columns, IndexRange iterations,
                            IndexRange rows);

/// Of a row; 0 without rows.
std::int64_t most_iterations(const PullLists& lists);

}  // namespace op2::sched
