// SPDX-License-Identifier: BSD-3-Clause
// Which parts each row adds, and in which order, for sums in order on a device: part c of element
// e, what the element adds through the c-th column, is number e * columns + c
// (jit/target/cuda/ordered_sums.hpp). Pure functions of index arrays: local.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <sched/row_access.hpp>

namespace op2::sched {

struct PartLists {
  std::vector<std::int32_t> rows;   ///< ascending
  std::vector<std::int32_t> start;  ///< [rows + 1]: where the parts of each begin
  std::vector<std::int32_t> parts;  ///< in the order in which the row adds them
};

/// The rows that have all their parts after each phase.
struct PhaseParts {
  PartLists interior;  ///< of rows to which no element of the boundary phase adds
  PartLists boundary;  ///< of all others to which elements add
};

/// The interior phase has run elements [0, interior), the boundary phase the others up to `end`.
/// Parts are in the order of their elements' places, and of an element in that of the columns.
/// @param columns  through which an element adds, onto one set; at least one
/// @param places   of elements [0, end); empty: ascending
/// Cost: three passes over the columns, and sorting the elements unless `places` is empty.
/// @throws Error too_large  there may be more than 2^31 - 1 parts
PhaseParts make_part_lists(std::span<const RowAccess> columns, std::span<const std::int64_t> places,
                           std::int64_t interior, std::int64_t end);

}  // namespace op2::sched
