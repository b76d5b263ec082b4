// SPDX-License-Identifier: BSD-3-Clause
#include <sched/tile_executor.hpp>

#include <exception>
#include <utility>

#include <core/trace.hpp>

namespace op2::sched {
namespace {

struct Run {
  TiledLoops& tiled;
  const Plan& plan;
  core::ThreadPool& pool;
  const std::function<void()>& between_tiles;
  std::exception_ptr failure;  ///< of `between_tiles`

  void pause() {
    try {
      if (!failure) between_tiles();
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

void run_item(const Run& run, const TileItem& item, int thread) {
  const std::size_t record = run.tiled.records[static_cast<std::size_t>(item.loop)];
  const LoopStep& step = run.plan.steps[record];
  const core::ArgBinding* bindings = step.bindings_of(thread, item.counts);
  const TileRun* first = run.tiled.plan.runs.data() + item.first_run;
  for (const TileRun* r = first; r != first + item.runs; ++r)
    step.range(r->begin, r->end, bindings);
}

void run_thread(void* context, int thread) noexcept {
  Run& run = *static_cast<Run*>(context);
  double* seconds =
      run.tiled.seconds.data() + static_cast<std::size_t>(thread) * run.tiled.seconds_stride;
  const auto& phases = run.tiled.plan.phases;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    if (p > 0) run.pool.barrier();
    auto begin = core::Clock::now();
    std::int32_t last = 0;
    for (const TileItem& item : phases[p][static_cast<std::size_t>(thread)]) {
      if (thread == 0 && item.loop < last) run.pause();
      last = item.loop;
      run_item(run, item, thread);
      const auto end = core::Clock::now();
      seconds[item.loop] += std::chrono::duration<double>(end - begin).count();
      begin = end;
    }
  }
}

}  // namespace

void run_tiles(TiledLoops& tiled, const Plan& plan, core::ThreadPool& pool,
               const std::function<void()>& between_tiles) {
  Run run{tiled, plan, pool, between_tiles, nullptr};
  pool.run(run_thread, &run);
  if (run.failure) std::rethrow_exception(run.failure);
}

double take_seconds(TiledLoops& tiled, std::size_t loop) {
  double sum = 0;
  const std::size_t threads = tiled.seconds.size() / tiled.seconds_stride;
  for (std::size_t t = 0; t < threads; ++t)
    sum += std::exchange(tiled.seconds[t * tiled.seconds_stride + loop], 0);
  return sum / static_cast<double>(threads);
}

}  // namespace op2::sched
