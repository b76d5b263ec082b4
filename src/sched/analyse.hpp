// SPDX-License-Identifier: BSD-3-Clause
// The pass after the cut: levels of all loops, exchanged halo layers, and validity afterwards.
// Local; uniform, because it follows from what all ranks know.
#pragma once

#include <vector>

#include <core/queue.hpp>
#include <sched/cut.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

struct AnalysisOptions {
  bool one_rank = false;  ///< there are no halos
  bool one_loop = false;  ///< OP2_CHAIN=off: extents are those of each loop alone
  bool keep_all = false;  ///< no loop counts as dead
};

/// With `one_loop`, no loop runs further than its own results need, so each may need an exchange;
/// loops that no exchange separates stay one chain.
/// @param cut    chains into which the queue must be cut, see cut_chains
/// @param valid  validity of each dat of the mesh before the queue, by its index
Analysis analyse(const core::Queue& queue, const std::vector<RecordRange>& cut,
                 const std::vector<core::Level>& valid, const AnalysisOptions& options);

}  // namespace op2::sched
