// SPDX-License-Identifier: BSD-3-Clause
// Rows that loops run and access, for thread plans, tiles and conflicts.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include <core/queue.hpp>

namespace op2::sched {

/// Local rows, or iterations over them: [begin, end).
struct IndexRange {
  std::int64_t begin, end;
  std::int64_t size() const { return end - begin; }
  bool empty() const { return begin >= end; }
  auto operator<=>(const IndexRange&) const = default;
};

using IndexRanges = std::vector<IndexRange>;

/// Adds a range behind the others; one that begins where the last one ends continues it.
inline void append(IndexRanges& ranges, const IndexRange& range) {
  if (!ranges.empty() && ranges.back().end == range.begin)
    ranges.back().end = range.end;
  else
    ranges.push_back(range);
}

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

/// The number of `item`, which is appended to `seen` if it is new. Cost O(seen).
template <class T>
std::int32_t number_of(std::vector<T>& seen, const T& item) {
  const auto found = std::find(seen.begin(), seen.end(), item);
  const auto number = static_cast<std::int32_t>(found - seen.begin());
  if (found == seen.end()) seen.push_back(item);
  return number;
}

}  // namespace op2::sched
