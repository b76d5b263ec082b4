// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/cpu_executor.hpp>

#include <algorithm>

#include <sched/executor/cpu/cpu_plan.hpp>
#include <sched/executor/exchanges.hpp>

namespace op2::sched {
namespace {

/// Steps in tiles run on all threads, even if their parts use fewer.
std::vector<int> threads_of(const CpuPlanParts& made, int all_threads) {
  std::vector<int> threads;
  for (const StepParts& parts : made.parts) threads.push_back(parts.threads);
  for (const ChainTiles& chain : made.tiles)
    for (const Phase phase : {Phase::interior, Phase::boundary})
      for (const TiledSteps& tiled : chain.in(phase))
        for (const std::size_t step : tiled.steps) threads[step] = all_threads;
  return threads;
}

std::vector<StepBindings> bind_all(const Plan& plan, const CpuPlanParts& made, int all_threads) {
  const std::vector<int> threads = threads_of(made, all_threads);
  std::vector<StepBindings> bindings(plan.steps.all.size());
  for (std::size_t s = 0; s < bindings.size(); ++s)
    if (plan.steps.all[s].runs())
      bindings[s] = bind(plan.steps.all[s], threads[s], made.parts[s].some_do_not_count);
  return bindings;
}

}  // namespace

std::unique_ptr<PreparedPlan> CpuExecutor::prepare(const Plan& plan, bool repeats) {
  CpuPlanParts made;
  made.exchanges = make_exchanges(plan, rows_, options_.exchange, pool_);
  for (std::size_t s = 0; s < plan.steps.all.size(); ++s)
    made.parts.push_back(parts_.parts_of(plan.steps.all[s], plan.code[s]));
  if (repeats && gains_by_repetition(plan))
    made.tiles = make_tiles(plan, {options_.tile, topology_.caches, pool_.size()});
  else
    made.tiles.resize(plan.chains().size());
  made.bindings = bind_all(plan, made, pool_.size());
  const TileTrial trial(options_.tile.mode == core::TileMode::measured);
  return std::make_unique<CpuPlan>(plan, std::move(made), trial, pool_, trace_);
}

bool CpuExecutor::gains_by_repetition(const Plan& plan) const {
  return options_.tile.mode != core::TileMode::off && !plan.awaits_code;
}

}  // namespace op2::sched
