// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

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

/// The first of ascending ranges that ends beyond `row`.
inline IndexRanges::const_iterator first_beyond(const IndexRanges& ranges, std::int64_t row) {
  return std::ranges::partition_point(ranges, [&](const IndexRange& r) { return r.end <= row; });
}

/// How many rows of `range` are in ascending ranges.
inline std::int64_t count_in(const IndexRanges& ranges, const IndexRange& range) {
  std::int64_t count = 0;
  for (auto part = first_beyond(ranges, range.begin);
       part != ranges.end() && part->begin < range.end; ++part)
    count += std::min(part->end, range.end) - std::max(part->begin, range.begin);
  return count;
}

}  // namespace op2::sched
