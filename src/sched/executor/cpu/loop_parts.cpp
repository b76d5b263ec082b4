// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/loop_parts.hpp>

#include <algorithm>

#include <jit/target/cpu/cpu_target.hpp>
#include <sched/executor/rows_of_step.hpp>

namespace op2::sched {
namespace {

/// Smaller loops run on the calling thread: waking others costs more than it gains.
constexpr int min_elements_per_thread = 256;

bool reduces(const Step& step) {
  return !step.reductions.empty();
}

/// All accesses of a pattern.
std::vector<RowAccess> accesses_of(const ConflictPattern& pattern) {
  std::vector<RowAccess> all;
  for (const SharedDat& dat : pattern)
    all.insert(all.end(), dat.accesses.begin(), dat.accesses.end());
  return all;
}

/// What a step runs of a plan for all rows.
std::shared_ptr<const ThreadPlan> of_step(const Step& step, const ThreadPlan& all) {
  auto plan = std::make_shared<ThreadPlan>(all);
  for (auto& stage : plan->stages)
    for (IndexRanges& ranges : stage) ranges = rows_of_step(step, ranges);
  std::erase_if(plan->stages, [](const auto& stage) {
    return std::ranges::all_of(stage, [](const IndexRanges& ranges) { return ranges.empty(); });
  });
  return plan;
}

}  // namespace

StepParts PartMaker::parts_of(const Step& step, const StepCode& code) {
  StepParts parts;
  if (!step.runs()) return parts;
  if (code.compiled != nullptr) parts.range = jit::range_of(*code.compiled);
  const ConflictPattern pattern =
      step.colouring != nullptr ? conflict_pattern_of_colour(step.args, step.colouring->writes)
                                : conflict_pattern(step.args);
  for (const Phase phase : {Phase::interior, Phase::boundary}) {
    const IndexRange rows = step.rows(phase);
    // Only reductions distinguish owned elements from others.
    const std::int64_t end = reduces(step) ? step.set->size : rows.end;
    const std::int64_t border = std::clamp(end, rows.begin, rows.end);
    for (const IndexRange part : {IndexRange{rows.begin, border}, IndexRange{border, rows.end}}) {
      if (part.empty()) continue;
      (phase == Phase::interior ? parts.interior : parts.boundary)
          .push_back(part_of(step, code, pattern, part));
      const LoopPart& made = parts.in(phase).back();
      parts.threads = std::max(parts.threads, made.threads);
      parts.some_do_not_count = parts.some_do_not_count || !made.counts;
    }
  }
  return parts;
}

LoopPart PartMaker::part_of(const Step& step, const StepCode& code, const ConflictPattern& pattern,
                            IndexRange rows) {
  const core::Set& set = *step.set;
  const Order order = step.order_of(code);
  const bool few = rows.size() < std::int64_t{threads_} * min_elements_per_thread;
  const bool alone = code.compiled == nullptr || order == Order::by_global_index || few;
  const int threads = alone ? 1 : threads_;
  const bool counts = rows.begin < set.size;
  const bool by_rows = order == Order::by_rows;
  if (by_rows && alone && !few) return {plan_of_threads(step, pattern, rows), 1, counts};
  const bool as_declared = counts && ((by_rows && few) || step.runs_as_declared(code));
  const auto plan =
      as_declared ? plan_in_global_order(set) : plan_for(step, pattern, rows, threads);
  return {runs_some_rows(step) ? of_step(step, *plan) : plan, threads, counts};
}

/// On one thread, in an order in which all threads could run them.
std::shared_ptr<const ThreadPlan> PartMaker::plan_of_threads(const Step& step,
                                                             const ConflictPattern& pattern,
                                                             IndexRange rows) {
  return std::make_shared<const ThreadPlan>(
      on_one_thread(*plan_for(step, pattern, rows, threads_)));
}

std::shared_ptr<const ThreadPlan> PartMaker::plan_in_global_order(const core::Set& set) {
  auto& plan = in_order_[&set];
  if (plan == nullptr)
    plan = std::make_shared<const ThreadPlan>(
        plan_by_global_index(std::span(set.global_indices).first(set.size)));
  return plan;
}

std::shared_ptr<const ThreadPlan> PartMaker::plan_for(const Step& step,
                                                      const ConflictPattern& pattern,
                                                      IndexRange rows, int threads) {
  // On one thread all loops over a set share a plan.
  const ConflictPattern& alike = threads == 1 ? ConflictPattern{} : pattern;
  auto& plan = shared_[{step.set, alike, rows.begin, rows.end, threads}];
  if (plan == nullptr)
    plan = std::make_shared<const ThreadPlan>(plan_threads(rows, threads, accesses_of(alike)));
  return plan;
}

}  // namespace op2::sched
