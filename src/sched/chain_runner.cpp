// SPDX-License-Identifier: BSD-3-Clause
#include <sched/chain_runner.hpp>

#include <algorithm>
#include <vector>

#include <sched/executor.hpp>
#include <sched/finish_reductions.hpp>
#include <sched/reduction.hpp>
#include <sched/tile_executor.hpp>

namespace op2::sched {
namespace {

using core::Clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

void ChainRunner::run(ChainPlan& chain, Plan& plan, core::Queue& queue, std::uint64_t stamp) {
  const Chain c{chain, plan, queue};
  combine_globals(c);
  ++statistics_.chains;
  if (chain.exchange != nullptr) {
    auto begin = Clock::now();
    count_exchange(chain);
    chain.exchange->start(stamp);
    trace_.add("halo", "pack and send", begin, Clock::now());
    run_half(c, Half::early);
    begin = Clock::now();
    chain.exchange->finish();
    trace_.add("halo", "wait and unpack", begin, Clock::now());
    statistics_.wait_seconds += seconds_since(begin);
  }
  run_half(c, Half::late);
}

void ChainRunner::combine_globals(const Chain& c) {
  if (communicator_.size() == 1) return;
  std::vector<core::Global*> wanted;
  const auto want = [&](core::Global* global) {
    if (std::ranges::find(wanted, global) == wanted.end()) wanted.push_back(global);
  };
  for (std::size_t k = c.chain.begin; k < c.chain.end; ++k) {
    for (const GlobalSlot& slot : c.plan.steps[k].reads)
      if (slot.shape.global != nullptr && slot.assignment < 0) want(slot.shape.global);
    for (const GlobalSlot& slot : c.plan.steps[k].reductions)
      if (slot.shape.global != nullptr && slot.shape.global->partial_access != slot.shape.access)
        want(slot.shape.global);
  }
  // Ranks may have fused other loops, so the order of steps is not that of all.
  std::ranges::sort(wanted, {}, [](const core::Global* global) { return global->index; });
  combine(wanted, communicator_);
}

void ChainRunner::count_exchange(const ChainPlan& chain) {
  ++statistics_.exchanges;
  statistics_.messages += static_cast<std::int64_t>(chain.exchange->messages());
  statistics_.bytes += static_cast<std::int64_t>(chain.exchange->bytes());
  statistics_.packed_rows += chain.exchange->packed_rows();
  statistics_.layers = std::max(statistics_.layers, chain.layers);
}

void ChainRunner::run_half(const Chain& c, Half half) {
  auto& tiled = half == Half::early ? c.chain.early : c.chain.late;
  auto next = tiled.begin();
  for (std::size_t k = c.chain.begin; k < c.chain.end;) {
    if (next != tiled.end() && next->begin == k) {
      run_together(c, *next, half);
      k = next->end;
      ++next;
    } else {
      run_record(c, k++, half, Way::alone);
    }
  }
}

void ChainRunner::run_together(const Chain& c, TiledLoops& tiled, Half half) {
  const bool in_tiles = tiled.trial.wants_tiles();
  const auto begin = Clock::now();
  if (in_tiles) run_in_tiles(c, tiled, half);
  for (std::size_t k = tiled.begin; k < tiled.end; ++k)
    run_record(c, k, half, in_tiles ? Way::in_tiles : Way::alone);
  tiled.trial.add(seconds_since(begin));
  if (!tiled.trial.wants_tiles() && tiled.trial.decided()) tiled.plan = {};
}

void ChainRunner::run_in_tiles(const Chain& c, TiledLoops& tiled, Half half) {
  for (std::size_t k = tiled.begin; k < tiled.end; ++k)
    if (c.plan.steps[k].kind == LoopStep::Kind::loop) bind_globals(c.plan.steps[k], half, c.queue);
  const auto begin = Clock::now();
  run_tiles(tiled, c.plan, pool_, [&] { make_progress(c, half); });
  trace_.add("loop", "tiles", begin, Clock::now());
  for (std::size_t loop = 0; loop < tiled.records.size(); ++loop)
    c.plan.steps[tiled.records[loop]].row->seconds += take_seconds(tiled, loop);
}

void ChainRunner::run_record(const Chain& c, std::size_t k, Half half, Way way) {
  LoopStep& step = c.plan.steps[k];
  switch (step.kind) {
    case LoopStep::Kind::assignment:
      if (half == Half::late) run_assignment(c.queue.records()[k], c.queue);
      return;
    case LoopStep::Kind::dead:
      if (half == Half::late) ++step.row->skipped;
      return;
    case LoopStep::Kind::fused:
      return;
    case LoopStep::Kind::loop:
      break;
  }
  if (way == Way::alone) iterate(c, k, half);
  const Range rows = step.rows(half);
  const std::int64_t iterations = rows.end - rows.begin;
  step.row->elements += iterations;
  for (core::LoopRow* row : step.rows_of_members) row->elements += iterations;
  (half == Half::early ? statistics_.core_iterations : statistics_.rest_iterations) +=
      iterations * step.loops();
  if (half == Half::late) finish(c, k);
}

void ChainRunner::iterate(const Chain& c, std::size_t k, Half half) {
  LoopStep& step = c.plan.steps[k];
  if (half == Half::early && step.early.empty()) return;
  const auto begin = Clock::now();
  bind_globals(step, half, c.queue);
  sched::run_half(step, half, pool_);
  const auto end = Clock::now();
  step.row->seconds += std::chrono::duration<double>(end - begin).count();
  if (trace_.on()) trace_.add("loop", step.row->name, begin, end);
  make_progress(c, half);
}

void ChainRunner::finish(const Chain& c, std::size_t k) {
  LoopStep& step = c.plan.steps[k];
  if (!step.reductions.empty()) {
    const auto begin = Clock::now();
    finish_reductions(step, c.queue, communicator_);
    step.row->seconds += seconds_since(begin);
    trace_.add("loop", "reduce", begin, Clock::now());
  }
  ++step.row->calls;
  for (core::LoopRow* row : step.rows_of_members) ++row->fused;
  step.row->bytes += step.useful_bytes;
  statistics_.redundant_iterations += step.redundant_iterations * step.loops();
}

void ChainRunner::make_progress(const Chain& c, Half half) {
  if (half == Half::early) c.chain.exchange->progress();
}

}  // namespace op2::sched
