// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/run.hpp>

#include <algorithm>
#include <exception>
#include <utility>

#include <core/clock.hpp>
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

  const core::ArgBinding* bound_to(int thread) const {
    return bindings.args_of(thread, part.counts);
  }
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

namespace {

struct TiledExecution {
  const TileExecution& what;
  TileTimes& times;
  std::exception_ptr failure;  ///< of `between_tiles`

  void pause() {
    try {
      if (!failure) what.between_tiles();
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

void run_item(const TileExecution& what, const TileItem& item, int thread) {
  const std::size_t step = what.tiled.steps[item.loop];
  const core::RangeFunction range = what.parts[step].range;
  const core::ArgBinding* bindings = what.bindings[step].args_of(thread, item.counts);
  const core::RunningHere here(what.bindings[step].running);
  const TileRun* first = what.tiled.plan.runs.data() + item.first_run;
  for (const TileRun* rows = first; rows != first + item.runs; ++rows)
    range(rows->begin, rows->end, bindings);
  add_slots(what.plan.steps.all[step], what.slots[step], what.phase, item.number);
}

void run_tiles_of(void* context, int thread) noexcept {
  TiledExecution& run = *static_cast<TiledExecution*>(context);
  double* seconds = run.times.seconds_of(thread);
  const auto& stages = run.what.tiled.plan.stages;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (s > 0) run.what.pool.barrier();
    auto begin = core::Clock::now();
    std::int32_t last = 0;
    for (const TileItem& item : stages[s][thread]) {
      if (thread == 0 && item.loop < last) run.pause();
      last = item.loop;
      run_item(run.what, item, thread);
      const auto end = core::Clock::now();
      seconds[item.loop] += core::seconds_between(begin, end);
      begin = end;
    }
  }
}

}  // namespace

std::span<const double> TileTimes::take_shares() {
  std::ranges::fill(shares_, 0);
  double all = 0;
  for (std::size_t k = 0; k < seconds_.size(); ++k) {
    const double seconds = std::exchange(seconds_[k], 0);
    if (k % stride_ < shares_.size()) shares_[k % stride_] += seconds;
    all += seconds;
  }
  for (double& share : shares_)
    share = all > 0 ? share / all : 1 / static_cast<double>(shares_.size());
  return shares_;
}

void run_tiles(const TileExecution& execution, TileTimes& times) {
  TiledExecution run{execution, times, nullptr};
  execution.pool.run(run_tiles_of, &run);
  if (run.failure) std::rethrow_exception(run.failure);
}

}  // namespace op2::sched
