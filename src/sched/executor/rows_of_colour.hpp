// SPDX-License-Identifier: BSD-3-Clause
// Which rows a step runs that is one colour of a loop.
#pragma once

#include <sched/index_range.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// The rows of a step's ranges that it runs, in the same order: all, or those of its colour. Cost:
/// linear in the rows.
IndexRanges rows_of_colour(const Step& step, const IndexRanges& ranges);

}  // namespace op2::sched
