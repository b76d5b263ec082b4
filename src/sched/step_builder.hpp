// SPDX-License-Identifier: BSD-3-Clause
// From a loop and its levels to what the executor needs: iterations for every thread, and where
// each argument finds its memory.
#pragma once

#include <map>
#include <memory>
#include <tuple>

#include <core/queue.hpp>
#include <sched/chain_builder.hpp>
#include <sched/lower.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

class StepBuilder {
 public:
  explicit StepBuilder(int threads) : threads_(threads) {}

  /// Fills in parts and bindings of a step that knows its arguments, its levels and its code.
  /// @param chain     that the step is in
  /// @param in_order  the result depends on the order of iterations: one thread
  void build(const core::Queue& queue, RecordRange chain, bool in_order, LoopStep& step);

  /// Gives a step that was built bindings for all threads, whatever its parts need.
  void bind_for_tiles(const core::Queue& queue, RecordRange chain, LoopStep& step);

  /// To be called when rows or maps have moved and all plans are gone.
  void forget() {
    shares_.clear();
    by_number_.clear();
  }

 private:
  using Key = std::tuple<ConflictPattern, std::int64_t, std::int64_t, int>;
  void add_parts(const ConflictPattern& pattern, Range rows, bool in_order, LoopStep& step,
                 std::vector<LoopPart>& parts);
  const ThreadPlan& shares_for(const ConflictPattern& pattern, Range rows, int threads);

  const ThreadPlan& shares_by_number(const core::Set& set);

  int threads_;
  std::map<Key, std::unique_ptr<ThreadPlan>> shares_;
  std::map<const core::Set*, std::unique_ptr<ThreadPlan>> by_number_;
};

/// Whether iterations of the loop meet in rows such that the result depends on which comes first,
/// as far as this rank's rows up to `extent` show.
bool depends_on_order(const LoopStep& step);

}  // namespace op2::sched
