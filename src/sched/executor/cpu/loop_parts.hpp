// SPDX-License-Identifier: BSD-3-Clause
// The pass that distributes the iterations of each step over threads without races.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include <core/loop_abi.hpp>
#include <sched/conflicts.hpp>
#include <sched/executor/cpu/thread_plan.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

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
  std::shared_ptr<const ThreadPlan> plan_of_threads(const Step& step,
                                                    const ConflictPattern& pattern,
                                                    IndexRange rows);
  std::shared_ptr<const ThreadPlan> plan_in_global_order(const core::Set& set);

  int threads_;
  std::map<Key, std::shared_ptr<const ThreadPlan>> shared_;
  std::map<const core::Set*, std::shared_ptr<const ThreadPlan>> in_order_;
};

}  // namespace op2::sched
