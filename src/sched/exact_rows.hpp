// SPDX-License-Identifier: BSD-3-Clause
// The backward pass of the analysis with sets of rows instead of levels: exactly what a chain needs
// on this rank. Local; where ranks must agree, see slice.hpp.
#pragma once

#include <vector>

#include <core/queue.hpp>
#include <sched/cut.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// A flag for each local row.
using RowFlags = std::vector<char>;

struct ExactRows {
  std::vector<RowFlags> need;  ///< per dat: rows that must be right before the chain
  std::vector<RowFlags> runs;  ///< per loop: iterations, of W_extent; empty: a dead loop
};

/// For a chain without loops in colours: so that the owned rows of all dats are right after the
/// chain. All that is found lies in the levels of the analysis: rows beyond them have no part in
/// it. Cost: a pass over the columns of maps that each loop uses.
/// @param chain     describes the loops of the range; dats are those of its numbers
/// @param analysis  has their extents
ExactRows exact_rows(const core::Queue& queue, RecordRange range, const ChainDescription& chain,
                     const Analysis& analysis);

}  // namespace op2::sched
