// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/plan.hpp>

#include <utility>

#include <fmt/format.h>

#include <sched/executor/cpu/run.hpp>
#include <sched/executor/exchanges.hpp>
#include <sched/loop_statistics.hpp>
#include <sched/passes.hpp>

namespace op2::sched {
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

std::string describe_parts(const StepParts& parts) {
  return describe_parts("interior", parts.interior) + describe_parts("boundary", parts.boundary);
}

std::string describe_tiles(const char* phase, const TiledSteps& group) {
  const TileStatistics use = statistics_of(group.plan);
  return fmt::format(
      "  {} steps in tiles ({}): {} tiles, {} stages, {:.1f} % in the first, {:.0f} iterations per "
      "step and tile, {:.0f} per run\n",
      group.steps.size(), phase, use.tiles, group.plan.stages.size(), 100 * use.first_stage,
      use.per_item, use.per_run);
}

}  // namespace

CpuPlan::CpuPlan(const Plan& plan, CpuPlanParts made, core::ThreadPool& pool,
                 const comm::Communicator& ranks, const core::Listeners& listeners)
    : plan_(plan), made_(std::move(made)), pool_(pool), ranks_(ranks), listeners_(listeners) {
  for (ChainTiles& chain : made_.tiles) {
    interior_tiles_.push_back(in_use(std::move(chain.interior)));
    boundary_tiles_.push_back(in_use(std::move(chain.boundary)));
  }
}

std::vector<CpuPlan::TilesInUse> CpuPlan::in_use(std::vector<TiledSteps> groups) const {
  std::vector<TilesInUse> all;
  for (TiledSteps& group : groups) {
    const std::size_t steps = group.steps.size();
    all.push_back({std::move(group), TileTimes(steps, pool_.size())});
  }
  return all;
}

void CpuPlan::pack_and_start(std::size_t chain, std::uint64_t fingerprint) {
  made_.exchanges[chain]->start(fingerprint);
}

void CpuPlan::finish_and_unpack(std::size_t chain) {
  made_.exchanges[chain]->finish();
}

ExchangeSize CpuPlan::exchange_size(std::size_t chain) const {
  return size_of(made_.exchanges[chain].get());
}

void CpuPlan::run(std::size_t chain, Phase phase, core::Queue& queue, const Finished& finished) {
  Running r{chain, phase, queue, finished, ranks_.seconds()};
  auto& tiles = (phase == Phase::interior ? interior_tiles_ : boundary_tiles_)[chain];
  auto next = tiles.begin();
  const std::size_t end = plan_.steps.begin[chain + 1];
  for (std::size_t step = plan_.steps.begin[chain]; step < end;) {
    if (next != tiles.end() && next->tiled.begin == step) {
      run_tiled(r, *next);
      step = next->tiled.end;
      ++next;
    } else {
      run_alone(r, step);
      finish(r, step++);
    }
  }
}

void CpuPlan::run_tiled(Running& r, TilesInUse& tiles) {
  run_in_tiles(r, tiles);
  for (std::size_t step = tiles.tiled.begin; step < tiles.tiled.end; ++step) finish(r, step);
  r.since = ranks_.seconds();
}

void CpuPlan::run_in_tiles(const Running& r, TilesInUse& tiles) {
  // Of steps without iterations, too, whose results are folded like those of the others.
  for (std::size_t step = tiles.tiled.begin; step < tiles.tiled.end; ++step) bind_for_call(r, step);
  const core::StepEvent event(listeners_, "tiles");
  const double begin = ranks_.seconds();
  run_tiles({plan_, r.phase, tiles.tiled, made_.parts, made_.bindings, made_.slots.steps, pool_,
             [&] { make_progress(r); }},
            tiles.times);
  const double ran = ranks_.seconds() - begin;
  const std::span<const double> shares = tiles.times.take_shares();
  for (std::size_t loop = 0; loop < tiles.tiled.steps.size(); ++loop) {
    const StepRows& rows = plan_.rows[tiles.tiled.steps[loop]];
    const double before = ranks_.seconds();
    count_iterations(rows, r.phase, Way::tiled);  // a clock that is modelled goes on with it
    add_time(rows, r.phase, Way::tiled, ran * shares[loop] + ranks_.seconds() - before, listeners_);
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
  const bool is_bound = r.phase == Phase::boundary && !made_.parts[step].interior.empty();
  const bool is_first = r.phase == Phase::boundary || !made_.parts[step].interior.empty();
  if (plan_.steps.all[step].runs() && is_first && !is_bound)
    bind_globals(plan_.steps.all[step], r.queue, made_.bindings[step]);
}

void CpuPlan::finish(Running& r, std::size_t step) {
  if (r.phase != Phase::boundary) return;
  fold_threads(plan_.steps.all[step], made_.bindings[step]);
  r.finished(step);
  if (!plan_.steps.all[step].reductions.empty()) r.since = ranks_.seconds();
}

void CpuPlan::make_progress(const Running& r) {
  if (r.phase == Phase::interior) made_.exchanges[r.chain]->progress();
}

std::string CpuPlan::describe(const core::Queue& queue) const {
  std::string text;
  for (std::size_t chain = 0; chain < plan_.chains().size(); ++chain) {
    const ExchangeSize size = exchange_size(chain);
    if (made_.exchanges[chain] != nullptr)
      text += fmt::format("  exchange of {} layers: {} messages, {} bytes\n",
                          plan_.chains()[chain].layers, size.messages, size.bytes);
    for (const auto& [name, tiles] :
         {std::pair("interior", &interior_tiles_), std::pair("boundary", &boundary_tiles_)})
      for (const TilesInUse& group : (*tiles)[chain]) text += describe_tiles(name, group.tiled);
    for (std::size_t s = plan_.steps.begin[chain]; s < plan_.steps.begin[chain + 1]; ++s)
      text += describe_step(queue, plan_, s) + describe_parts(made_.parts[s]) +
              description_of(made_.slots.steps[s]) + "\n";
  }
  return text + description_of(made_.slots);
}

}  // namespace op2::sched
