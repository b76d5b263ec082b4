// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/run_parts.hpp>

#include <sched/executor/payload.hpp>
#include <sched/executor/reference/host_loop.hpp>

namespace op2::sched {
namespace {

/// One execution of a part of a step.
struct Run {
  const Step& step;
  const LoopPart& part;
  core::RangeFunction range;  ///< null: the kernel's host function
  const StepBindings& bindings;
  const StepSlots& slots;
  Phase phase;
  std::size_t number;  ///< of the part in its phase
  core::ThreadPool& pool;

  const core::ArgBinding* bound_to(int thread) const { return bindings.of(thread, part.counts); }
};

/// Compiled code on all threads.
void run_thread(void* context, int thread) noexcept {
  const Run& run = *static_cast<const Run*>(context);
  const core::RunningHere here(run.bindings.running);
  const auto& stages = run.part.plan->stages;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (s > 0) run.pool.barrier();
    for (const IndexRange& rows : stages[s][thread])
      run.range(rows.begin, rows.end, run.bound_to(thread));
  }
  if (run.slots.uses.empty()) return;
  run.pool.barrier();
  add_slots(run.step, run.slots, run.phase, run.number, thread, run.part.threads);
}

void run_rows(const Run& run, IndexRange rows, const core::ArgBinding* bound) {
  if (run.range != nullptr)
    run.range(rows.begin, rows.end, bound);
  else
    run_host_step(run.step, rows, bound);
}

/// All iterations on this thread.
void run_alone(const Run& run, bool tracks_elements) {
  const core::RunningHere here(run.bindings.running);
  for (const auto& stage : run.part.plan->stages)
    for (const IndexRange& rows : stage.front()) {
      if (tracks_elements)
        run_and_track(run.step, run.bindings, {rows}, run.step.set->global_indices,
                      [&](std::int64_t row, const core::ArgBinding* bound) {
                        run_rows(run, {row, row + 1}, bound);
                      });
      else
        run_rows(run, rows, run.bound_to(0));
    }
  add_slots(run.step, run.slots, run.phase, run.number);
}

}  // namespace

void run_parts(const Step& step, const StepCode& code, const StepParts& parts,
               const StepBindings& bindings, const StepSlots& slots, Phase phase,
               core::ThreadPool& pool) {
  const QueuedValues values(code.variables);
  const std::vector<LoopPart>& all = parts.in(phase);
  for (std::size_t number = 0; number < all.size(); ++number) {
    Run run{step, all[number], parts.range, bindings, slots, phase, number, pool};
    const bool tracks_elements = run.part.counts && step.tracks_elements(code);
    if (tracks_elements || run.part.threads == 1)
      run_alone(run, tracks_elements);
    else
      pool.run(run_thread, &run);
  }
}

}  // namespace op2::sched
