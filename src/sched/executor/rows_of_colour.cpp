// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/rows_of_colour.hpp>

namespace op2::sched {

IndexRanges rows_of_colour(const Step& step, const IndexRanges& ranges) {
  if (step.colouring == nullptr) return ranges;
  IndexRanges some;
  for (const IndexRange& range : ranges)
    for (std::int64_t row = range.begin; row < range.end; ++row) {
      if (step.colouring->rows[static_cast<std::size_t>(row)] != step.colour) continue;
      if (!some.empty() && some.back().end == row)
        ++some.back().end;
      else
        some.push_back({row, row + 1});
    }
  return some;
}

}  // namespace op2::sched
