// SPDX-License-Identifier: BSD-3-Clause
// Distributes the iterations of a loop over threads and stages so that no two threads access the
// same row of a dat at the same time, although increments go through maps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <sched/index_range.hpp>
#include <sched/row_access.hpp>

namespace op2::sched {

/// stages[p][t]: the ranges that thread t runs in stage p, ascending. No stage is empty for all
/// threads; stages are separated by barriers. No stages without rows.
struct ThreadPlan {
  std::vector<std::vector<IndexRanges>> stages;
};

/// Every target set is cut into one block of rows per thread. An iteration that accesses one block
/// runs in stage 0 on the block's thread. Iterations that access two blocks follow in rounds in
/// which each block belongs to at most one pair; those that access more run last, on one thread.
/// Without accesses the rows are cut evenly. Cost O(rows * accesses); memory O(ranges + threads *
/// stages).
/// @param accesses  one for each argument, whatever its access mode, of every dat that the loop
///                  modifies and accesses through a map; rows must be in their target sets
ThreadPlan plan_threads(IndexRange rows, int threads, std::span<const RowAccess> accesses);

/// All iterations in order on thread 0.
ThreadPlan plan_in_order(IndexRange rows, int threads);

/// The iterations of all threads on one, in an order that the plan allows.
ThreadPlan on_one_thread(const ThreadPlan& plan);

/// All iterations on one thread, the row with the lowest global index first.
/// @param global_index  of each row: distinct
ThreadPlan plan_by_global_index(std::span<const std::int32_t> global_index);

/// The efficiency of a plan.
struct ThreadPlanStatistics {
  double first_stage;  ///< fraction of the iterations that are in stage 0; 1 for an empty set
  double imbalance;    ///< longest path through the stages / (iterations / threads); at least 1
};
ThreadPlanStatistics statistics_of(const ThreadPlan& plan);

}  // namespace op2::sched
