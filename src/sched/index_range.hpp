// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

}  // namespace op2::sched
