// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/run_tiles.hpp>

#include <algorithm>
#include <exception>
#include <utility>

#include <core/clock.hpp>

namespace op2::sched {
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
  const core::ArgBinding* bindings = what.bindings[step].of(thread, item.counts);
  const core::RunningHere here(what.bindings[step].running);
  const TileRun* first = what.tiled.plan.runs.data() + item.first_run;
  for (const TileRun* rows = first; rows != first + item.runs; ++rows)
    range(rows->begin, rows->end, bindings);
  add_slots(what.plan.steps.all[step], what.slots[step], what.phase, item.number);
}

void run_tiles_of(void* context, int thread) noexcept {
  TiledExecution& run = *static_cast<TiledExecution*>(context);
  double* seconds = run.times.of(thread);
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
