// SPDX-License-Identifier: BSD-3-Clause
// Which increments each row gets, for kernels in which rows add them. Pure functions of index
// arrays: local.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <sched/rows.hpp>

namespace op2::sched {

/// Rows, and the increments of each in the order in which the row adds them.
struct IncrementLists {
  /// What threads execute: the rows, ascending, are at these positions.
  IndexRange positions{0, 0};
  std::vector<std::int32_t> rows;        ///< [positions]; empty: each position is a row
  std::vector<std::int32_t> start;       ///< [positions + 1]: where the increments of each begin
  std::vector<std::int32_t> increments;  ///< elements or parts
};

/// For each row that elements add to, these elements: each once for a row, ascending.
/// Cost: two passes over the columns for these elements, and one over the rows of the set.
/// @param columns  the columns of maps onto one set through which an element adds; at least one
/// @throws Error too_large  there may be more than 2^31 - 1 increments
IncrementLists elements_by_row(std::span<const RowAccess> columns, IndexRange elements);

/// The same for `rows`, also those that no element adds to.
IncrementLists elements_by_row(std::span<const RowAccess> columns, IndexRange elements,
                               IndexRange rows);

/// For sums in order: the parts that each row adds. Part c of element e, what the element adds
/// through the c-th column, is number e * columns + c (jit/target/cuda/kernel_parameters.hpp). The
/// interior phase has run elements [0, interior), the boundary phase the others up to `end`; the
/// first lists are of rows to which no element of the boundary phase adds, the second ones of all
/// others to which elements add. Parts are in the order of their elements' positions, and of an
/// element in that of the columns. All rows are listed.
/// @param positions  of elements [0, end) in the canonical order; empty: ascending
/// Cost: three passes over the columns, and sorting the elements unless `positions` is empty.
/// @throws Error too_large  there may be more than 2^31 - 1 parts
std::array<IncrementLists, 2> parts_by_row(std::span<const RowAccess> columns,
                                           std::span<const std::int64_t> positions,
                                           std::int64_t interior, std::int64_t end);

/// Increments of a row; 0 without rows.
std::int64_t most_increments(const IncrementLists& lists);

}  // namespace op2::sched
