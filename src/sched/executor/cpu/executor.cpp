// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/executor.hpp>

#include <algorithm>
#include <set>

#include <comm/messages/agreement.hpp>
#include <sched/executor/cpu/plan.hpp>
#include <sched/executor/exchanges.hpp>

namespace op2::sched {
namespace {

/// Calls visit(phase, tiled, loop) for each loop of each group of steps in tiles.
template <class Visit>
void for_each_tiled(const std::vector<ChainTiles>& tiles, const Visit& visit) {
  for (const ChainTiles& chain : tiles)
    for (const Phase phase : {Phase::interior, Phase::boundary})
      for (const TiledSteps& tiled : chain.in(phase))
        for (std::size_t loop = 0; loop < tiled.steps.size(); ++loop) visit(phase, tiled, loop);
}

PlanSlots slots_of(const core::Mesh& mesh, const Plan& plan, const CpuPlanParts& made,
                   SlotTables& known) {
  std::vector<ScheduledStep> steps;
  for (std::size_t s = 0; s < plan.steps.all.size(); ++s)
    steps.push_back({plan.steps.all[s].runs() ? &plan.steps.all[s] : nullptr,
                     {&made.parts[s].interior},
                     {&made.parts[s].boundary}});
  for_each_tiled(made.tiles, [&](Phase phase, const TiledSteps& tiled, std::size_t loop) {
    ScheduledStep& step = steps[tiled.steps[loop]];
    StepSchedule& schedule = phase == Phase::interior ? step.interior : step.boundary;
    schedule.tiles = &tiled.plan;
    schedule.loop = static_cast<std::int32_t>(loop);
  });
  return make_slots(mesh, steps, known);
}

/// The loops of a plan that add through maps, of each kind one.
std::set<AddingLoop> kinds_of(const Plan& plan) {
  std::set<AddingLoop> kinds;
  for (const Step& step : plan.steps.all)
    for (const core::LoopArg& arg : step.args)
      if (step.runs() && arg.is_active_dat() && arg.is_indirect() && arg.access == OP_INC)
        kinds.insert({step.set, arg.map});
  return kinds;
}

/// Whether tiles put so many rows into slots that they cost more than they gain.
bool is_mostly_slots(const PlanSlots& slots) {
  constexpr double most = 0.05;  // of what is added
  double added = 0, slotted = 0;
  for (const StepSlots& step : slots.steps) {
    added += static_cast<double>(step.added);
    slotted += static_cast<double>(step.slotted);
  }
  return slotted > most * added;
}

/// Steps in tiles run on all threads, even if their parts use fewer.
void bind_all(const Plan& plan, int all_threads, bool reproducible, CpuPlanParts& made) {
  for_each_tiled(made.tiles, [&](Phase, const TiledSteps& tiled, std::size_t loop) {
    made.parts[tiled.steps[loop]].threads = all_threads;
  });
  made.bindings.resize(plan.steps.all.size());
  for (std::size_t s = 0; s < made.bindings.size(); ++s) {
    const Step& step = plan.steps.all[s];
    if (!step.runs()) continue;
    std::vector<core::ArgBinding> slotted;
    if (reproducible) slotted = bindings_of(step, made.slots.steps[s]);
    made.bindings[s] =
        sched::bind(step, made.parts[s].threads, made.parts[s].some_do_not_count, slotted);
  }
}

}  // namespace

std::unique_ptr<PreparedPlan> CpuExecutor::prepare(const Plan& plan, bool repeats) {
  CpuPlanParts made;
  made.exchanges = make_exchanges(plan, rows_, options_.exchange, pool_);
  for (std::size_t s = 0; s < plan.steps.all.size(); ++s)
    made.parts.push_back(parts_.parts_of(plan.steps.all[s], plan.code[s]));
  made.tiles.resize(plan.chains().size());
  if (repeats && gains_by_repetition(plan) && !untiled_.contains(kinds_of(plan)))
    timed("make tiles",
          [&] { made.tiles = make_tiles(plan, {options_.tile, topology_.caches, pool_.size()}); });
  made.slots.steps.resize(plan.steps.all.size());
  if (options_.reproducible)
    comm::throw_together(rows_.communicator(),
                         comm::error_of("slots of reproducible increments", [&] {
                           timed("find slots", [&] { find_slots(plan, made); });
                         }));
  bind_all(plan, pool_.size(), options_.reproducible, made);
  return std::make_unique<CpuPlan>(plan, std::move(made), pool_, rows_.communicator(), listeners_);
}

void CpuExecutor::find_slots(const Plan& plan, CpuPlanParts& made) {
  made.slots = slots_of(rows_.mesh(), plan, made, slot_tables_);
  if (options_.tile.mode != core::TileMode::modelled || !is_mostly_slots(made.slots)) return;
  untiled_.insert(kinds_of(plan));
  std::ranges::fill(made.tiles, ChainTiles{});
  made.slots = slots_of(rows_.mesh(), plan, made, slot_tables_);
}

template <class Action>
void CpuExecutor::timed(const char* what, const Action& action) {
  const auto begin = core::Clock::now();
  action();
  core::report_span(listeners_, "plan", what, begin);
}

bool CpuExecutor::gains_by_repetition(const Plan&) const {
  return options_.tile.mode != core::TileMode::off;
}

}  // namespace op2::sched
