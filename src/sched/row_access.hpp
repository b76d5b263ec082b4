// SPDX-License-Identifier: BSD-3-Clause
// The rows that one argument of a loop accesses, for thread plans, tiles and conflicts.
#pragma once

#include <compare>
#include <cstdint>

#include <core/loop_record.hpp>

namespace op2::sched {

/// Iteration e accesses row index[e * stride] of a set, or row e if `index` is null.
struct RowAccess {
  const std::int32_t* index;  ///< local rows; at least (iterations - 1) * stride + 1 entries
  std::int64_t stride;
  std::int64_t rows;  ///< of the set
  int set = 0;        ///< its number, which the user of this struct chooses

  std::int64_t row_of(std::int64_t iteration) const {
    return index == nullptr ? iteration : index[iteration * stride];
  }
  auto operator<=>(const RowAccess&) const = default;
};

/// The access of an active argument to its dat.
inline RowAccess row_access(const core::LoopArg& arg) {
  const std::int64_t rows = arg.dat->on().rows();
  if (!arg.is_indirect()) return {nullptr, 0, rows};
  return {arg.map->map + arg.column, arg.map->dim, rows};
}

}  // namespace op2::sched
