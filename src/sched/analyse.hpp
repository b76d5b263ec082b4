// SPDX-License-Identifier: BSD-3-Clause
// The pass after the cut: levels of all loops, which layers of halos are exchanged where, and what
// is valid afterwards. Local; uniform, for it follows from what all ranks know.
#pragma once

#include <vector>

#include <core/queue.hpp>
#include <sched/cut.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

struct AnalysisOptions {
  bool one_rank = false;  ///< there is nobody to exchange halos with
  bool one_loop = false;  ///< OP2_CHAIN=off: halos are computed for each loop by itself
  bool keep_all = false;  ///< no loop counts as dead
};

/// @param cut    chains as the queue must be cut, see cut_chains
/// @param valid  validity of each dat of the mesh before the queue, by its index
/// With `one_loop`, no loop runs further than it must for its own results, so each may need an
/// exchange; loops that none separates stay one chain.
Analysis analyse(const core::Queue& queue, const std::vector<RecordRange>& cut,
                 const std::vector<core::Level>& valid, const AnalysisOptions& options);

}  // namespace op2::sched
