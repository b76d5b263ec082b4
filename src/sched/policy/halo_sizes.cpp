// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/halo_sizes.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>

#include <comm/halo/halo_exchange.hpp>
#include <core/layout.hpp>
#include <core/loop_record.hpp>
#include <sched/analysis/fuse.hpp>

namespace op2::sched {
namespace {

/// The number of rows at a level > 0; beyond those given, one that continues the last ones.
double at_level(const std::vector<double>& rows, core::Level h) {
  if (rows.empty()) return 0;
  const auto last = static_cast<core::Level>(rows.size());
  if (h <= last) return rows[static_cast<std::size_t>(h - 1)];
  const core::Level known = last - (h - last) % 2;  // of the same kind, executable or readable
  return rows[static_cast<std::size_t>(std::max(known, 1) - 1)];
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
  const auto at = [&](core::Level h) -> double& {
    return within[static_cast<std::size_t>(h - core::deepest_tracked)];
  };
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
  double messages = 0, sent = 0, received = 0;
  for (const comm::DatLayers& layers : chain.exchanged) {
    const SetSizes& set = sizes.sets[static_cast<std::size_t>(layers.dat->set->index)];
    const double rows = set.rows_sent(layers.from, layers.to);
    const double bytes = layers.dat->size;
    work.packed_rows += rows;
    sent += rows * bytes;
    received += set.rows_received(layers.from, layers.to) * bytes;
    messages = std::max(messages, set.neighbours_up_to(layers.to));
  }
  const double headers = messages * static_cast<double>(comm::message_header);
  const std::array<double, distances> shares{sizes.on_node, 1 - sizes.on_node};
  for (std::size_t d = 0; d < distances; ++d) {
    work.sent[d] = {messages * shares[d], (sent + headers) * shares[d]};
    work.received[d] = {messages * shares[d], (received + headers) * shares[d]};
  }
  return work;
}

LoopWork loop_of(const core::Queue& queue, std::size_t record, const LoopLevels& levels,
                 const HaloSizes& sizes) {
  const core::LoopRecord& loop = queue.records()[record];
  const SetSizes& set = sizes.sets[static_cast<std::size_t>(loop.set->index)];
  const double colours = loop.colouring == nullptr ? 1 : loop.colouring->count;
  const double all = set.rows_within(levels.extent) / colours;
  const double core = std::min(all, set.rows_within(levels.interior) / colours);
  return {record, Way::alone, core, all - core};
}

using StepList = std::vector<std::span<LoopWork>>;

/// Neighbours that fusion joins by what they access.
StepList steps_of(const core::Queue& queue, const Analysis& analysis, ChainWork& chain) {
  StepList steps;
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

/// How loops run that have neighbours in their chain. The larger phase decides about tiles.
void choose_ways(const core::Queue& queue, const Analysis& analysis, const HaloSizes& sizes,
                 const std::optional<TileRules>& tiles, ChainWork& chain) {
  if (chain.loops.size() < 2) return;
  const StepList steps = steps_of(queue, analysis, chain);
  for (const std::span<LoopWork> step : steps)
    for (LoopWork& loop : step)
      loop.way = step.size() > 1 ? Way::fused : tiles ? Way::alone : Way::tiled;
  if (!tiles) return;
  double interior = 0, boundary = 0;
  for (const LoopWork& loop : chain.loops) interior += loop.core, boundary += loop.rest;
  const auto phase = interior > boundary ? &LoopWork::core : &LoopWork::rest;
  forecast_tiles(queue, steps, phase, sizes, *tiles);
}

/// Calls `visit(count)` for each number that concerns levels above `known`.
template <class Sizes, class Visit>
void for_each_count(Sizes& sizes, core::Level known, const Visit& visit) {
  for (auto& set : sizes.sets) {
    const auto visit_from = [&](auto& rows, core::Level lowest) {
      const auto first = static_cast<std::size_t>(std::max(0, known + 1 - lowest));
      for (std::size_t k = first; k < rows.size(); ++k) visit(rows[k]);
    };
    visit_from(set.within, core::deepest_tracked);
    for (auto* rows : {&set.sent, &set.received, &set.neighbours}) visit_from(*rows, 1);
  }
}

}  // namespace

double SetSizes::rows_within(core::Level h) const {
  if (h < core::deepest_tracked || within.empty()) return 0;
  const auto position = static_cast<std::size_t>(h - core::deepest_tracked);
  if (position < within.size()) return within[position];
  const auto highest = static_cast<core::Level>(within.size()) - 1 + core::deepest_tracked;
  return within.back() + rows_received(highest, h);
}

double SetSizes::rows_sent(core::Level from, core::Level to) const {
  return sum_of_levels(sent, from, to);
}

double SetSizes::rows_received(core::Level from, core::Level to) const {
  return sum_of_levels(received, from, to);
}

double SetSizes::neighbours_up_to(core::Level h) const {
  return h <= 0 ? 0 : at_level(neighbours, h);
}

std::vector<std::int64_t> HaloSizes::words(core::Level known) const {
  std::vector<std::int64_t> words;
  for_each_count(*this, known, [&](double count) { words.push_back(std::llround(count)); });
  return words;
}

void HaloSizes::take(std::span<const std::int64_t>::iterator& next, core::Level known) {
  for_each_count(*this, known, [&](double& count) { count = static_cast<double>(*next++); });
}

core::Level HaloSizes::take_levels_of(const HaloSizes& known) {
  if (sets.empty()) return no_levels;
  const auto replace = [](std::vector<double>& rows, const std::vector<double>& by) {
    std::copy_n(by.begin(), std::min(by.size(), rows.size()), rows.begin());
  };
  for (std::size_t s = 0; s < sets.size(); ++s) {
    replace(sets[s].within, known.sets[s].within);
    replace(sets[s].sent, known.sets[s].sent);
    replace(sets[s].received, known.sets[s].received);
    replace(sets[s].neighbours, known.sets[s].neighbours);
  }
  const std::size_t levels = std::min(sets.front().sent.size(), known.sets.front().sent.size());
  return static_cast<core::Level>(levels);
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
      made.loops.push_back(loop_of(queue, k, analysis.loops[k], sizes));
    }
    choose_ways(queue, analysis, sizes, tiles, made);
  }
  return work;
}

}  // namespace op2::sched
