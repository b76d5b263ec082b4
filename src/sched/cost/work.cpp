// SPDX-License-Identifier: BSD-3-Clause
#include <sched/cost/work.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include <comm/halo/halo_exchange.hpp>
#include <core/layout.hpp>
#include <core/queue.hpp>
#include <sched/analysis/fuse.hpp>
#include <sched/executor/cpu/tiles.hpp>

namespace op2::sched {
namespace {

/// The number of rows at a level > 0; beyond those given, one that continues the last ones.
double at_level(const std::vector<double>& rows, core::Level h) {
  if (rows.empty()) return 0;
  const auto last = static_cast<core::Level>(rows.size());
  if (h <= last) return rows[h - 1];
  const core::Level known = last - (h - last) % 2;  // of the same kind, executable or readable
  return rows[std::max(known, 1) - 1];
}

double sum_of_levels(const std::vector<double>& rows, core::Level from, core::Level to) {
  double sum = 0;
  for (core::Level h = from + 1; h <= to; ++h) sum += at_level(rows, h);
  return sum;
}

/// Rows of each W_h. Levels that are not distinguished yet, but will be when an interior is so
/// deep, are taken to shrink as the last ones do.
std::vector<double> rows_within(const core::Layout& layout) {
  std::vector<double> within(layout.prefix.begin(), layout.prefix.end());
  const auto at = [&](core::Level h) -> double& { return within[h - core::deepest_tracked]; };
  const core::Level lowest =
      layout.deepest == core::deepest_in_declared_order ? layout.deepest : layout.limit;
  const double shrinks = at(std::min(layout.deepest + 2, layout.highest())) - at(layout.deepest);
  for (core::Level h = layout.deepest - 1; h >= core::deepest_tracked; --h)
    at(h) = h < lowest ? 0 : std::max(0.0, at(h + 1) - shrinks / 2);
  return within;
}

SetSizes sizes_of(const comm::IndexMap& of) {
  SetSizes sizes{rows_within(of.layout), {}, {}, {}};
  std::set<int> ranks;
  for (const comm::HaloLevel& level : of.levels) {
    double sent = 0, received = 0;
    for (const comm::ExportList& list : level.exports) {
      sent += static_cast<double>(list.rows.size());
      if (!list.rows.empty()) ranks.insert(list.rank);
    }
    for (const comm::ImportRange& range : level.imports) received += range.count;
    sizes.sent.push_back(sent);
    sizes.received.push_back(received);
    sizes.neighbours.push_back(static_cast<double>(ranks.size()));
  }
  return sizes;
}

ExchangeWork exchange_of(const Chain& chain, const HaloSizes& sizes) {
  ExchangeWork work;
  for (const comm::DatLayers& layers : chain.exchanged) {
    const SetSizes& set = sizes.sets[layers.dat->set->index];
    double rows = 0, messages = 0;
    if (layers.lists == nullptr) {
      rows = set.rows_sent(layers.from, layers.to);
      messages = set.neighbours_up_to(layers.to);
    } else {
      for (const comm::ExportList& list : layers.lists->exports) {
        rows += static_cast<double>(list.rows.size());
        messages += list.rows.empty() ? 0 : 1;
      }
    }
    work.rows += rows;
    work.bytes += rows * layers.dat->size;
    work.messages = std::max(work.messages, messages);
  }
  work.bytes += work.messages * static_cast<double>(comm::message_header);
  return work;
}

LoopWork loop_of(const core::Queue& queue, std::size_t record, const Analysis& analysis,
                 const HaloSizes& sizes) {
  const core::LoopRecord& loop = queue.records()[record];
  const LoopLevels& levels = analysis.loops[record];
  const SetSizes& set = sizes.sets[loop.set->index];
  const double colours = loop.colouring == nullptr ? 1 : loop.colouring->count;
  double all = set.rows_within(levels.extent) / colours;
  if (levels.slice >= 0) {
    all = 0;
    for (const IndexRange& range : analysis.slices[levels.slice])
      all += static_cast<double>(range.size());
  }
  const double interior = std::min(all, set.rows_within(levels.interior) / colours);
  return {record, {interior}, {all - interior}};
}

using StepWorkList = std::span<const std::span<LoopWork>>;

/// Of steps that nothing separates.
void forecast(const core::Queue& queue, StepWorkList steps, PhaseWork LoopWork::* phase,
              const HaloSizes& sizes, const TileRules& rules) {
  std::vector<double> rows;
  for (const SetSizes& set : sizes.sets) rows.push_back(set.rows_within(0));
  StepTraffic traffic(std::move(rows));
  for (const std::span<LoopWork> step : steps) {
    std::vector<std::span<const core::LoopArg>> args;
    for (const LoopWork& loop : step) args.push_back(queue.args_of(queue.records()[loop.loop]));
    traffic.add(args, *queue.records()[step.front().loop].set, (step.front().*phase).iterations);
  }
  if (traffic.steps() < 2) return;
  const TileTraffic sum = traffic.sum();
  if (rules.tiling.rows <= 0 && tiles_per_thread(sum, rules.caches, rules.threads) == 0) return;
  for (const std::span<LoopWork> step : steps)
    for (LoopWork& loop : step) {
      PhaseWork& work = loop.*phase;
      if (work.iterations <= 0) continue;
      work.untiled = std::exchange(work.way, Way::tiled);
      work.spared = sum.once < sum.loop_by_loop ? 1 - sum.once / sum.loop_by_loop : 0;
    }
}

/// Marks the loops that will run in tiles, with what these spare.
/// @param steps  of one chain: loops that run together, in each
/// @param phase  the iterations that count; steps without any take no part
void forecast_tiles(const core::Queue& queue, StepWorkList steps, PhaseWork LoopWork::* phase,
                    const HaloSizes& sizes, const TileRules& rules) {
  if (rules.tiling.mode == core::TileMode::off) return;
  const auto separates = [&](std::span<const LoopWork> step) {
    return queue.records()[step.front().loop].colouring != nullptr;
  };
  for (auto first = steps.begin(); first != steps.end();) {
    const auto last = std::find_if(first, steps.end(), separates);
    forecast(queue, {first, last}, phase, sizes, rules);
    first = last == steps.end() ? last : last + 1;
  }
}

/// Neighbours that fusion joins by what they access.
std::vector<std::span<LoopWork>> steps_of(const core::Queue& queue, const Analysis& analysis,
                                          ChainWork& chain) {
  std::vector<std::span<LoopWork>> steps;
  std::vector<std::size_t> group;
  for (LoopWork& loop : chain.loops) {
    if (!group.empty() && gains_by_fusion(queue, analysis.loops, group, loop.loop)) {
      steps.back() = {steps.back().data(), steps.back().size() + 1};
    } else {
      steps.emplace_back(&loop, 1);
      group.clear();
    }
    group.push_back(loop.loop);
  }
  return steps;
}

/// How loops run that have neighbours in their chain.
void choose_ways(const core::Queue& queue, const Analysis& analysis, const HaloSizes& sizes,
                 const std::optional<TileRules>& tiles, ChainWork& chain) {
  if (chain.loops.size() < 2) return;
  const std::vector<std::span<LoopWork>> steps = steps_of(queue, analysis, chain);
  for (const std::span<LoopWork> step : steps)
    for (LoopWork& loop : step)
      loop.interior.way = loop.boundary.way = step.size() > 1 ? Way::fused
                                              : tiles         ? Way::alone
                                                              : Way::tiled;
  if (!tiles) return;
  for (const auto phase : {&LoopWork::interior, &LoopWork::boundary})
    forecast_tiles(queue, steps, phase, sizes, *tiles);
}

/// Calls `visit(count)` for each number.
template <class Sizes, class Visit>
void for_each_count(Sizes& sizes, const Visit& visit) {
  for (auto& set : sizes.sets)
    for (auto* rows : {&set.within, &set.sent, &set.received, &set.neighbours})
      for (auto& count : *rows) visit(count);
}

template <class Count>
double sum_over_exchanges(const FlushWork& flush, const Count& count) {
  double sum = 0;
  for (const ChainWork& chain : flush.chains)
    if (chain.exchange) sum += count(*chain.exchange);
  return sum;
}

}  // namespace

double FlushWork::exchanges() const {
  return sum_over_exchanges(*this, [](const ExchangeWork&) { return 1.0; });
}

double FlushWork::bytes() const {
  return sum_over_exchanges(*this, [](const ExchangeWork& exchange) { return exchange.bytes; });
}

double FlushWork::iterations() const {
  double sum = 0;
  for (const ChainWork& chain : chains)
    for (const LoopWork& loop : chain.loops) sum += loop.iterations();
  return sum;
}

double SetSizes::rows_within(core::Level h) const {
  if (h < core::deepest_tracked || within.empty()) return 0;
  const auto position = static_cast<std::size_t>(h - core::deepest_tracked);
  if (position < within.size()) return within[position];
  const auto highest = static_cast<core::Level>(within.size()) - 1 + core::deepest_tracked;
  return within.back() + sum_of_levels(received, highest, h);
}

double SetSizes::rows_sent(core::Level from, core::Level to) const {
  return sum_of_levels(sent, from, to);
}

double SetSizes::neighbours_up_to(core::Level h) const {
  return h <= 0 ? 0 : at_level(neighbours, h);
}

std::vector<std::int64_t> HaloSizes::words() const {
  std::vector<std::int64_t> words;
  for_each_count(*this, [&](double count) { words.push_back(std::llround(count)); });
  return words;
}

void HaloSizes::take(std::span<const std::int64_t>::iterator& next) {
  for_each_count(*this, [&](double& count) { count = static_cast<double>(*next++); });
}

HaloSizes sizes_of(const comm::HaloPlan& plan) {
  HaloSizes sizes;
  const auto levels = static_cast<std::size_t>(plan.depth);
  for (const comm::IndexMap& set : plan.sets) {
    SetSizes& made = sizes.sets.emplace_back(sizes_of(set));
    made.within.resize(levels + 1 - core::deepest_tracked, made.within.back());
    for (auto* rows : {&made.sent, &made.received}) rows->resize(levels, 0);
    made.neighbours.resize(levels, made.neighbours.empty() ? 0 : made.neighbours.back());
  }
  return sizes;
}

FlushWork work_of(const core::Queue& queue, const Analysis& analysis, const HaloSizes& sizes,
                  const std::optional<TileRules>& tiles) {
  FlushWork work;
  for (const Chain& chain : analysis.chains) {
    ChainWork& made = work.chains.emplace_back();
    if (!chain.exchanged.empty()) made.exchange = exchange_of(chain, sizes);
    for (std::size_t k = chain.records.begin; k < chain.records.end; ++k) {
      const core::LoopRecord& record = queue.records()[k];
      if (record.is_assignment() || analysis.loops[k].extent == core::no_level) continue;
      made.loops.push_back(loop_of(queue, k, analysis, sizes));
    }
    choose_ways(queue, analysis, sizes, tiles, made);
  }
  return work;
}

}  // namespace op2::sched
