// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/executor.hpp>

#include <algorithm>
#include <exception>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <comm/messages/agreement.hpp>
#include <core/arithmetic.hpp>
#include <core/clock.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/executor/exchanges.hpp>
#include <sched/executor/reference/executor.hpp>
#include <sched/loop_statistics.hpp>
#include <sched/passes.hpp>

namespace op2::sched {
namespace {

/// One execution of a part of a step.
struct PartRun {
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
  const PartRun& run = *static_cast<const PartRun*>(context);
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

/// All iterations on this thread.
void run_on_one_thread(const PartRun& run, bool tracks_elements) {
  const core::RunningHere here(run.bindings.running);
  for (const auto& stage : run.part.plan->stages)
    for (const IndexRange& rows : stage.front()) {
      if (tracks_elements)
        run_and_track(run.step, run.bindings, {rows}, run.step.set->global_indices,
                      [&](std::int64_t row, const core::ArgBinding* bound) {
                        run_rows(run.step, run.range, {row, row + 1}, bound);
                      });
      else
        run_rows(run.step, run.range, rows, run.bound_to(0));
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
    PartRun run{step, all[number], parts.range, bindings, slots, phase, number, pool};
    const bool tracks_elements = run.part.counts && step.tracks_elements(code);
    if (tracks_elements || run.part.threads == 1)
      run_on_one_thread(run, tracks_elements);
    else
      pool.run(run_thread, &run);
  }
}

void CpuPlan::run(std::size_t chain, Phase phase, core::Queue& queue, const Finished& finished) {
  Running r{chain, phase, queue, finished, ranks_.seconds()};
  const std::vector<TiledSteps>& tiles = made_.tiles[chain].in(phase);
  auto next = tiles.begin();
  const std::size_t end = plan_.steps.begin[chain + 1];
  for (std::size_t step = plan_.steps.begin[chain]; step < end;) {
    if (next != tiles.end() && next->begin == step) {
      run_tiled(r, *next);
      while (step < next->end) finish(r, step++);
      r.since = ranks_.seconds();
      ++next;
    } else {
      run_alone(r, step);
      finish(r, step++);
    }
  }
}

/// All threads run tiles, and the calling one lets messages make progress between its own.
struct CpuPlan::TilesOnThreads {
  CpuPlan& plan;
  const Running& running;
  const TiledSteps& tiled;
  std::size_t stride = core::round_up(tiled.steps.size(), std::size_t{8}) + 8;  ///< no cache line
                                                                                ///< is shared
  std::exception_ptr failure{};  ///< of messages; tiles run on

  static void run_thread(void* context, int thread) noexcept {
    TilesOnThreads& all = *static_cast<TilesOnThreads*>(context);
    double* const seconds = all.plan.tile_seconds_.data() + thread * all.stride;
    const auto& stages = all.tiled.plan.stages;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      if (s > 0) all.plan.pool_.barrier();
      auto begin = core::Clock::now();
      std::int32_t last = 0;
      for (const TileItem& item : stages[s][thread]) {
        if (thread == 0 && item.loop < last) all.make_progress();
        last = item.loop;
        all.plan.run_item(all.tiled, item, all.running.phase, thread);
        const auto end = core::Clock::now();
        seconds[item.loop] += core::seconds_between(begin, end);
        begin = end;
      }
    }
  }

  void make_progress() {
    try {
      if (!failure) plan.make_progress(running);
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

void CpuPlan::run_item(const TiledSteps& tiled, const TileItem& item, Phase phase,
                       int thread) const {
  const std::size_t step = tiled.steps[item.loop];
  const core::RangeFunction range = made_.parts[step].range;
  const core::ArgBinding* bindings = made_.bindings[step].args_of(thread, item.counts);
  const core::RunningHere here(made_.bindings[step].running);
  const TileRun* first = tiled.plan.runs.data() + item.first_run;
  for (const TileRun* rows = first; rows != first + item.runs; ++rows)
    range(rows->begin, rows->end, bindings);
  add_slots(plan_.steps.all[step], made_.slots.steps[step], phase, item.number);
}

/// The time of all steps is divided as the threads have spent it.
void CpuPlan::run_tiled(Running& r, const TiledSteps& tiled) {
  // Of steps without iterations, too, whose results are folded like those of the others.
  for (std::size_t step = tiled.begin; step < tiled.end; ++step) bind_for_call(r, step);
  const core::StepEvent event(listeners_, "tiles");
  const double begin = ranks_.seconds();
  TilesOnThreads tiles{*this, r, tiled};
  tile_seconds_.assign(tiles.stride * static_cast<std::size_t>(pool_.size()), 0);
  pool_.run(TilesOnThreads::run_thread, &tiles);
  if (tiles.failure) std::rethrow_exception(tiles.failure);
  const double ran = ranks_.seconds() - begin;
  const double all = std::accumulate(tile_seconds_.begin(), tile_seconds_.end(), 0.0);
  for (std::size_t loop = 0; loop < tiled.steps.size(); ++loop) {
    double own = 0;
    for (std::size_t k = loop; k < tile_seconds_.size(); k += tiles.stride) own += tile_seconds_[k];
    const double share = all > 0 ? own / all : 1 / static_cast<double>(tiled.steps.size());
    const StepRows& rows = plan_.rows[tiled.steps[loop]];
    const double before = ranks_.seconds();
    count_iterations(rows, r.phase, Way::tiled);  // a clock that is modelled goes on with it
    add_time(rows, r.phase, Way::tiled, ran * share + ranks_.seconds() - before, listeners_);
  }
  report_span("tiles", ranks_.seconds() - begin);
}

void CpuPlan::run_alone(Running& r, std::size_t step) {
  bind_for_call(r, step);
  if (made_.parts[step].in(r.phase).empty()) return;
  const StepRows& rows = plan_.rows[step];
  const core::StepEvent event(listeners_, rows.row->name.c_str());
  run_parts(plan_.steps.all[step], plan_.code[step], made_.parts[step], made_.bindings[step],
            made_.slots.steps[step], r.phase, pool_);
  const Way way = plan_.steps.all[step].fused() ? Way::fused : Way::alone;
  count_iterations(rows, r.phase, way);
  const double seconds = ranks_.seconds() - r.since;
  add_time(rows, r.phase, way, seconds, listeners_);
  report_span(rows.row->name, seconds);
  r.since += seconds;
  if (r.phase == Phase::boundary) return;
  make_progress(r);
  r.since = ranks_.seconds();
}

/// Of iterations that end now.
void CpuPlan::report_span(const std::string& name, double seconds) const {
  if (listeners_.empty()) return;
  core::report_span(listeners_, "loop", name, core::Clock::now() - core::clock_duration(seconds));
}

/// To be called before the first iterations of a call: memory of the queue and of globals may move
/// between calls, but not between the phases of one.
void CpuPlan::bind_for_call(const Running& r, std::size_t step) {
  const bool begins_here = (r.phase == Phase::interior) != made_.parts[step].interior.empty();
  if (plan_.steps.all[step].runs() && begins_here)
    bind_globals(plan_.steps.all[step], r.queue, made_.bindings[step]);
}

void CpuPlan::finish(Running& r, std::size_t step) {
  if (r.phase != Phase::boundary) return;
  fold_threads(plan_.steps.all[step], made_.bindings[step]);
  r.finished(step);
  if (!plan_.steps.all[step].reductions.empty()) r.since = ranks_.seconds();
}

void CpuPlan::make_progress(const Running& r) {
  if (r.phase == Phase::interior) exchanges_[r.chain]->progress();
}

namespace {

std::string describe_parts(const char* phase, const std::vector<LoopPart>& parts) {
  std::string text;
  for (const LoopPart& part : parts) {
    const ThreadPlanStatistics use = statistics_of(*part.plan);
    text +=
        fmt::format("; {}: {} threads, {} stages, {:.1f} % in the first, imbalance {:.2f}", phase,
                    part.threads, part.plan->stages.size(), 100 * use.first_stage, use.imbalance);
  }
  return text;
}

std::string describe_tiles(const char* phase, const std::vector<TiledSteps>& tiles) {
  std::string text;
  for (const TiledSteps& group : tiles) {
    const TileStatistics use = statistics_of(group.plan);
    text += fmt::format(
        "  {} steps in tiles ({}): {} tiles, {} stages, {:.1f} % in the first, {:.0f} iterations "
        "per step and tile, {:.0f} per run\n",
        group.steps.size(), phase, use.tiles, group.plan.stages.size(), 100 * use.first_stage,
        use.per_item, use.per_run);
  }
  return text;
}

}  // namespace

std::string CpuPlan::describe(const core::Queue& queue) const {
  std::string text;
  for (std::size_t chain = 0; chain < plan_.chains().size(); ++chain) {
    if (const comm::HaloExchange* sent = exchange(chain))
      text += fmt::format("  exchange of {} layers: {} messages, {} bytes\n",
                          plan_.chains()[chain].layers, sent->messages().outgoing.size(),
                          sent->messages().bytes);
    text += describe_tiles("interior", made_.tiles[chain].interior) +
            describe_tiles("boundary", made_.tiles[chain].boundary);
    for (const std::size_t s : plan_.steps.of(chain))
      text += describe_step(queue, plan_, s) + describe_parts("interior", made_.parts[s].interior) +
              describe_parts("boundary", made_.parts[s].boundary) +
              description_of(made_.slots.steps[s]) + "\n";
  }
  return text + description_of(made_.slots);
}

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
  if (repeats && traits().gains_by_repetition && !untiled_.contains(kinds_of(plan)))
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

}  // namespace op2::sched
