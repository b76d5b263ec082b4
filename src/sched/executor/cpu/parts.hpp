// SPDX-License-Identifier: BSD-3-Clause
// The pass that distributes the iterations of each step over threads and stages so that no two
// threads access the same row of a dat at the same time, although increments go through maps.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include <core/loop_abi.hpp>
#include <sched/analysis/order.hpp>
#include <sched/plan.hpp>
#include <sched/rows.hpp>

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

/// Iterations of a step in one phase, on a number of threads.
struct LoopPart {
  std::shared_ptr<const ThreadPlan> plan;
  int threads;
  bool counts;  ///< owned elements, which count in reductions
};

/// All iterations of a step, and what runs them.
struct StepParts {
  std::vector<LoopPart> interior, boundary;
  int threads = 1;  ///< the most that a part uses
  bool some_do_not_count = false;
  core::RangeFunction range = nullptr;  ///< null: the kernel's host function

  const std::vector<LoopPart>& in(Phase phase) const {
    return phase == Phase::interior ? interior : boundary;
  }
};

/// Thread plans, shared by loops with the same access pattern.
class PartMaker {
 public:
  explicit PartMaker(int threads) : threads_(threads) {}

  /// Parts of a step; none for one without iterations. Compiled code runs on all threads, unless
  /// it has an order or there are too few iterations; by_rows, host functions have the order of
  /// threads, and few iterations that of the declaration.
  StepParts parts_of(const Step& step, const StepCode& code);

  /// To be called when rows or maps have moved, after all plans were destroyed.
  void forget_rows() {
    shared_.clear();
    in_order_.clear();
  }

 private:
  using Key = std::tuple<const core::Set*, ConflictPattern, std::int64_t, std::int64_t, int>;
  LoopPart part_of(const Step& step, const StepCode& code, const ConflictPattern& pattern,
                   IndexRange rows);
  std::shared_ptr<const ThreadPlan> plan_for(const Step& step, const ConflictPattern& pattern,
                                             IndexRange rows, int threads);
  std::shared_ptr<const ThreadPlan> plan_in_global_order(const core::Set& set);

  int threads_;
  std::map<Key, std::shared_ptr<const ThreadPlan>> shared_;
  std::map<const core::Set*, std::shared_ptr<const ThreadPlan>> in_order_;
};

}  // namespace op2::sched
