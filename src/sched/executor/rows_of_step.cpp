// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/rows_of_step.hpp>

#include <algorithm>

namespace op2::sched {
namespace {

IndexRanges of_slice(const IndexRanges& slice, const IndexRanges& ranges) {
  IndexRanges some;
  for (const IndexRange& range : ranges)
    for (auto part = first_beyond(slice, range.begin);
         part != slice.end() && part->begin < range.end; ++part)
      append(some, {std::max(part->begin, range.begin), std::min(part->end, range.end)});
  return some;
}

IndexRanges of_colour(const core::Colouring& colouring, std::int32_t colour,
                      const IndexRanges& ranges) {
  IndexRanges some;
  for (const IndexRange& range : ranges)
    for (std::int64_t row = range.begin; row < range.end; ++row)
      if (colouring.rows[static_cast<std::size_t>(row)] == colour) append(some, {row, row + 1});
  return some;
}

}  // namespace

IndexRanges rows_of_step(const Step& step, const IndexRanges& ranges) {
  if (step.slice != nullptr) return of_slice(*step.slice, ranges);
  return step.colouring == nullptr ? ranges : of_colour(*step.colouring, step.colour, ranges);
}

}  // namespace op2::sched
