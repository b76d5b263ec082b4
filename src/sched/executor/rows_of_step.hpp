// SPDX-License-Identifier: BSD-3-Clause
// Which rows of its set a step runs that is one colour of a loop, or sliced.
#pragma once

#include <sched/index_range.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Whether a step leaves out rows between the first and the last of a phase.
inline bool runs_some_rows(const Step& step) {
  return step.colouring != nullptr || step.slice != nullptr;
}

/// The rows of a step's ranges that it runs, in the same order: all, those of its colour or those
/// of its slice (never of both). Cost: linear in the rows, or for a slice alone in the ranges of
/// both.
IndexRanges rows_of_step(const Step& step, const IndexRanges& ranges);

}  // namespace op2::sched
