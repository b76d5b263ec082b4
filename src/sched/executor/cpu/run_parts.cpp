// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/run_parts.hpp>

#include <sched/executor/payload.hpp>
#include <sched/executor/reference/host_loop.hpp>

namespace op2::sched {
namespace {

/// One execution of compiled code, shared by its threads.
struct Run {
  const ThreadPlan& plan;
  core::RangeFunction range;
  const core::ArgBinding* bindings;  ///< of thread 0
  std::size_t arg_count;
  core::ThreadPool& pool;
  const RunningStep& running;
};

void run_thread(void* context, int thread) noexcept {
  const Run& run = *static_cast<const Run*>(context);
  const core::RunningHere here(run.running);
  const auto& stages = run.plan.stages;
  const core::ArgBinding* bindings = run.bindings + thread * run.arg_count;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (s > 0) run.pool.barrier();
    for (const IndexRange& rows : stages[s][thread]) run.range(rows.begin, rows.end, bindings);
  }
}

/// All iterations of a part on this thread.
template <class RunRows>
void run_alone(const LoopPart& part, const RunningStep& running, const RunRows& run_rows) {
  const core::RunningHere here(running);
  for (const auto& stage : part.plan->stages)
    for (const IndexRange& rows : stage.front()) run_rows(rows);
}

}  // namespace

void run_parts(const Step& step, const StepCode& code, const StepParts& parts,
               const StepBindings& bindings, Phase phase, core::ThreadPool& pool) {
  const QueuedValues values(code.variables);
  for (const LoopPart& part : parts.in(phase)) {
    const core::ArgBinding* bound = bindings.of(0, part.counts);
    const auto run_rows = [&](IndexRange rows) {
      if (parts.range != nullptr)
        parts.range(rows.begin, rows.end, bound);
      else
        run_host_step(step, rows, bound);
    };
    if (part.counts && step.tracks_elements(code))
      run_alone(part, bindings.running, [&](IndexRange rows) {
        run_and_track(step, bindings, {rows}, step.set->numbers, [&](std::int64_t row) {
          run_rows({row, row + 1});
        });
      });
    else if (part.threads == 1)
      run_alone(part, bindings.running, run_rows);
    else {
      Run run{*part.plan, parts.range, bound, bindings.arg_count, pool, bindings.running};
      pool.run(run_thread, &run);
    }
  }
}

}  // namespace op2::sched
