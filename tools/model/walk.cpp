// SPDX-License-Identifier: BSD-3-Clause
#include "walk.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "files.hpp"

namespace op2::model {
namespace {

/// Executions of a block of events after which its time does not change any more.
constexpr std::int64_t settled = 4;

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

bool reduces(const core::RecordedArg& arg) {
  return arg.dat < 0 && arg.access != OP_READ;
}

/// Lazy globals that the ranks have not combined, with the access of their loops.
using Pending = std::map<int, op_access>;

/// Whether a chain needs the value of a pending global.
bool needs_combined(std::span<const core::RecordedLoop> loops, const Pending& pending) {
  std::vector<int> assigned;
  for (const core::RecordedLoop& loop : loops)
    for (const core::RecordedArg& arg : loop.args) {
      if (arg.global < 0 || std::ranges::find(assigned, arg.global) != assigned.end()) continue;
      const auto lazy = pending.find(arg.global);
      if (loop.set < 0)
        assigned.push_back(arg.global);
      else if (lazy != pending.end() && lazy->second != arg.access)
        return true;
    }
  return false;
}

void note_reductions(std::span<const core::RecordedLoop> loops, Pending& pending) {
  for (const core::RecordedLoop& loop : loops)
    for (const core::RecordedArg& arg : loop.args) {
      if (arg.global < 0) continue;
      if (loop.set < 0)
        pending.erase(arg.global);
      else if (reduces(arg))
        pending[arg.global] = arg.access;
    }
}

/// Whether a loop of the chain reduces into memory of the program.
bool reduces_at_once(std::span<const core::RecordedLoop> loops) {
  return std::ranges::any_of(loops, [](const core::RecordedLoop& loop) {
    return std::ranges::any_of(loop.args,
                               [](const auto& arg) { return reduces(arg) && arg.global < 0; });
  });
}

std::span<const core::RecordedLoop> loops_of(const core::RecordedSequence& sequence,
                                             const sched::Chain& chain) {
  return std::span(sequence).subspan(chain.records.begin, chain.records.end - chain.records.begin);
}

/// Whether a record is a loop that is not dead.
bool runs(const core::RecordedLoop& loop, const sched::LoopLevels& levels) {
  return loop.set >= 0 && levels.extent != core::no_level;
}

/// Of one rank. A rank sends about as much as it receives.
sched::HaloSizes sizes_of(const RankHalo& halo, const Cut& cut) {
  sched::HaloSizes sizes;
  for (std::size_t s = 0; s < cut.sets; ++s) {
    sched::SetSizes& set = sizes.sets.emplace_back();
    set.within.assign(halo.within[s].begin(), halo.within[s].end());
    set.received.resize(at(cut.level), 0);
    set.neighbours.resize(at(cut.level), 0);
    for (const Imports& imports : halo.imports) {
      bool has_rows = false;
      for (std::size_t h = 0; h < at(cut.level); ++h) {
        set.received[h] += imports.rows[s][h];
        has_rows = has_rows || imports.rows[s][h] > 0;
        set.neighbours[h] += has_rows ? 1 : 0;
      }
    }
    set.sent = set.received;
  }
  return sizes;
}

/// The greatest of all ranks, number by number.
sched::HaloSizes largest(const std::vector<sched::HaloSizes>& ranks) {
  const auto raise = [](std::vector<double>& most, const std::vector<double>& mine) {
    for (std::size_t k = 0; k < mine.size(); ++k) most[k] = std::max(most[k], mine[k]);
  };
  sched::HaloSizes all = ranks.front();
  for (const sched::HaloSizes& mine : ranks)
    for (std::size_t s = 0; s < all.sets.size(); ++s)
      for (const auto rows : {&sched::SetSizes::within, &sched::SetSizes::sent,
                              &sched::SetSizes::received, &sched::SetSizes::neighbours})
        raise(all.sets[s].*rows, mine.sets[s].*rows);
  return all;
}

/// As the CPU executor decides, but that data do not fit into caches shows in records of such
/// sizes, see Costs::loop_cost.
sched::TileRules tile_rules(const core::RunRecord& record) {
  sched::TileRules rules{{}, {1, 1}, record.threads};
  if (record.all_in_tiles) rules.tiling = {core::TileMode::fixed, 1};
  return rules;
}

/// How many times as long what waits for memory takes on this machine as when costs were measured.
double slowdown_on(const Machine& machine, int parts, int busy) {
  const int per_node = machine.network.ranks_per_node > 0 ? machine.network.ranks_per_node : parts;
  return machine.slowdown(busy, std::min(per_node, parts));
}

/// @return without rows: there is no message
sched::Message message_to(int importer, const Imports& imports, const core::RunRecord& record,
                          const std::vector<comm::DatLayers>& exchanged) {
  std::size_t bytes = comm::message_header;
  std::int64_t all = 0;
  for (const comm::DatLayers& layers : exchanged) {
    const core::RecordedDat& dat = record.dats[at(layers.dat->index)];
    for (core::Level h = layers.from + 1; h <= layers.to; ++h) {
      const std::int64_t rows = imports.rows[at(dat.set)][at(h - 1)];
      all += rows;
      bytes +=
          comm::segment_bytes(static_cast<std::size_t>(rows), static_cast<std::size_t>(dat.bytes));
    }
  }
  return {imports.rank, importer, static_cast<double>(bytes), static_cast<double>(all)};
}

}  // namespace

std::vector<sched::Message> messages_of(const Cut& cut, const core::RunRecord& record,
                                        const std::vector<comm::DatLayers>& exchanged) {
  std::vector<sched::Message> messages;
  for (int rank = 0; rank < cut.parts; ++rank)
    for (const Imports& imports : cut.ranks[at(rank)].imports) {
      const sched::Message message = message_to(rank, imports, record, exchanged);
      if (message.rows > 0) messages.push_back(message);
    }
  std::ranges::sort(messages, {}, [](const auto& m) { return std::tuple(m.from, m.to); });
  return messages;
}

/// A walk in progress. Everything that repeats is counted `weight` times.
struct Walk::State {
  sched::Clocks clocks;
  const std::vector<Schedule>& schedules;
  std::vector<core::Level> valid;
  Pending pending;
  Prediction found;
  std::int64_t weight = 1;
};

Walk::Walk(const Program& program, const Cut& cut, const Machine& machine, const Costs& costs,
           int busy)
    : program_(program),
      record_(program.record()),
      cut_(cut),
      machine_(machine),
      costs_(costs),
      tiles_(tile_rules(record_)),
      slowdown_(slowdown_on(machine, cut.parts, busy)),
      rate_(machine.memory.empty() ? 0 : machine.rate(busy)) {
  for (const RankHalo& halo : cut.ranks) {
    sizes_.push_back(sizes_of(halo, cut));
    std::vector<double> owned;
    for (const sched::SetSizes& set : sizes_.back().sets) owned.push_back(set.rows_within(0));
    part_bytes_.push_back(working_bytes(record_, owned));
  }
  for (const core::RecordedSequence& sequence : record_.sequences)
    host_seconds_.push_back(costs.host(sequence));
  note_savings();
}

/// Tiled costs are those of records of one rank, whose chains no exchange cuts.
void Walk::note_savings() {
  if (record_.all_in_tiles) return;  // whatever they save
  const std::vector<core::Level> valid(record_.dats.size(), 0);
  sched::HaloSizes whole;
  for (const core::RecordedSet& set : record_.sets)
    whole.sets.push_back(
        {std::vector<double>(at(1 - core::deepest_tracked), static_cast<double>(set.size)),
         {},
         {},
         {}});
  for (std::size_t sequence = 0; sequence < record_.sequences.size(); ++sequence) {
    const sched::FlushWork work = sched::work_of(
        program_.queue(sequence), program_.plan(sequence, {}, 1, valid), whole, tiles_);
    for (const sched::ChainWork& chain : work.chains)
      for (const sched::LoopWork& loop : chain.loops) {
        double& most = saved_[record_.sequences[sequence][loop.loop].name];
        most = std::max({most, loop.interior.spared, loop.boundary.spared});
      }
  }
}

/// On nodes with more busy ranks than when costs were measured, what waits for memory takes longer.
/// A loop that moves more bytes than memory can has its data in a cache.
Walk::LoopCosts Walk::costs_of(std::size_t sequence, double bytes) const {
  LoopCosts costs;
  for (const core::RecordedLoop& loop : record_.sequences[sequence]) {
    sched::LoopCost& cost = costs.emplace_back();
    if (loop.set < 0) continue;
    cost = costs_.loop_cost(loop.name, bytes);
    cost.gains_by_tiles = false;  // where nothing was recorded of a loop in tiles, it has none
    if (const auto saved = saved_.find(loop.name); saved != saved_.end())
      cost.most_spared = saved->second;
    if (slowdown_ == 1) continue;
    for (double& seconds : cost.seconds) {
      const double share = seconds > 0 ? traffic_of(record_, loop.name) / seconds / rate_ : 0;
      if (share <= 1 && seconds > 0) seconds *= 1 + share * (slowdown_ - 1);
    }
  }
  return costs;
}

void Walk::time(std::size_t sequence, std::size_t rank, TimedPlan& plan) const {
  const core::RecordedSequence& recorded = record_.sequences[sequence];
  const LoopCosts costs = costs_of(sequence, part_bytes_[rank]);
  const sched::FlushWork work =
      sched::work_of(program_.queue(sequence), plan.analysis, sizes_[rank], tiles_);
  for (std::size_t c = 0; c < work.chains.size(); ++c) {
    const sched::ChainWork& chain = work.chains[c];
    TimedChain& timed = plan.chains[c];
    timed.phases.interior.push_back(seconds_of(chain, &sched::LoopWork::interior, costs));
    timed.phases.boundary.push_back(seconds_of(chain, &sched::LoopWork::boundary, costs));
    for (const sched::LoopWork& loop : chain.loops) {
      const sched::SetSizes& set = sizes_[rank].sets[at(recorded[loop.loop].set)];
      const double rows = set.rows_within(plan.analysis.loops[loop.loop].extent);
      const double beyond = rows > 0 ? std::max(0.0, 1 - set.rows_within(0) / rows) : 0;
      // The last rows of a set are not owned, so redundant iterations come last.
      const double redundant = beyond * loop.iterations();
      const double late = std::min(redundant, loop.boundary.iterations);
      const double early_each = sched::seconds_per_iteration(loop.interior, costs[loop.loop]);
      const double late_each = sched::seconds_per_iteration(loop.boundary, costs[loop.loop]);
      Prediction::Loop& sum = timed.loops[loop.loop - plan.analysis.chains[c].records.begin];
      sum.seconds += loop.interior.iterations * early_each + loop.boundary.iterations * late_each;
      sum.redundant += (redundant - late) * early_each + late * late_each;
    }
  }
}

const Walk::TimedPlan& Walk::plan_of(std::size_t sequence, const Schedule& schedule,
                                     const std::vector<core::Level>& valid) {
  const auto [entry, is_new] = plans_.try_emplace({sequence, schedule, valid});
  TimedPlan& timed = entry->second;
  if (!is_new) return timed;
  timed.analysis = program_.plan(sequence, schedule, cut_.parts, valid);
  if (timed.analysis.rows > cut_.level && cut_.parts > 1)
    throw Failure(fmt::format(
        "the cut has too few halo layers: {}, a chain needs {}; give 'cut' the option --layers",
        cut_.level / 2, (timed.analysis.rows + 1) / 2));
  for (const sched::Chain& chain : timed.analysis.chains) {
    std::vector<std::array<int, 3>> layers;
    for (const comm::DatLayers& dat : chain.exchanged)
      layers.push_back({dat.dat->index, dat.from, dat.to});
    const auto [messages, unseen] = exchanges_.try_emplace(layers);
    if (unseen) messages->second = messages_of(cut_, record_, chain.exchanged);
    TimedChain& made = timed.chains.emplace_back(TimedChain{&messages->second, {}, {}});
    made.loops.assign(chain.records.end - chain.records.begin, {1, 0, 0});
  }
  for (std::size_t rank = 0; rank < cut_.ranks.size(); ++rank) time(sequence, rank, timed);
  return timed;
}

void Walk::flush(std::size_t sequence, State& state) {
  const double begin = state.clocks.slowest();
  const core::RecordedSequence& recorded = record_.sequences[sequence];
  const TimedPlan& plan = plan_of(sequence, state.schedules[sequence], state.valid);
  const auto weight = static_cast<double>(state.weight);
  state.clocks.work(host_seconds_[sequence], weight);
  for (std::size_t c = 0; c < plan.chains.size(); ++c) {
    const sched::Chain& chain = plan.analysis.chains[c];
    const TimedChain& timed = plan.chains[c];
    const auto loops = loops_of(recorded, chain);
    if (needs_combined(loops, state.pending)) {
      state.clocks.reduce(sched::reduction_bytes, weight);
      state.pending.clear();
    }
    note_reductions(loops, state.pending);
    state.clocks.run(*timed.messages, timed.phases, weight);
    if (reduces_at_once(loops)) state.clocks.reduce(sched::reduction_bytes, weight);
    state.found.exchanges += chain.exchanged.empty() ? 0 : state.weight;
    for (std::size_t k = 0; k < loops.size(); ++k) {
      if (!runs(loops[k], plan.analysis.loops[chain.records.begin + k])) continue;
      Prediction::Loop& loop = state.found.loops[loops[k].name];
      loop.calls += state.weight;
      loop.seconds += weight * timed.loops[k].seconds / cut_.parts;
      loop.redundant += weight * timed.loops[k].redundant / cut_.parts;
    }
  }
  state.valid = plan.analysis.valid_after;
  Prediction::Flush& flush = state.found.flushes[sequence];
  flush.times += state.weight;
  flush.seconds += weight * (state.clocks.slowest() - begin);
}

void Walk::happen(int event, State& state) {
  if (event >= 0) return flush(at(event), state);
  if (state.pending.erase(core::fetched_global(event)) > 0)
    state.clocks.reduce(sched::reduction_bytes, static_cast<double>(state.weight));
}

/// The first executions one by one; the last of them stands for all others.
void Walk::run_events(const core::RecordedEvents& block, State& state) {
  double begin = 0;
  const std::int64_t walked = std::min(block.times, settled);
  for (std::int64_t k = 0; k < walked; ++k) {
    begin = state.clocks.slowest();
    state.weight = k + 1 == walked ? block.times - k : 1;
    for (const int event : block.events) happen(event, state);
  }
  state.clocks.skip(static_cast<double>(block.times - walked) * (state.clocks.slowest() - begin));
  state.weight = 1;
}

Prediction Walk::run(const std::vector<Schedule>& schedules, const sched::Network& network) {
  State state{sched::Clocks(cut_.parts, network),
              schedules,
              std::vector<core::Level>(record_.dats.size(), 0),
              {},
              {},
              1};
  state.found.ranks = cut_.parts;
  state.found.flushes.resize(record_.sequences.size());
  for (const core::RecordedEvents& block : record_.events) run_events(block, state);
  state.found.seconds = state.clocks.slowest();
  state.found.overheads = state.clocks.overheads();
  for (double* const sum : {&state.found.overheads.host, &state.found.overheads.messages,
                            &state.found.overheads.waits, &state.found.overheads.reductions})
    *sum /= cut_.parts;
  return std::move(state.found);
}

std::vector<std::vector<Schedule>> Walk::candidates() const {
  using Kind = Schedule::Kind;
  const std::vector<Schedule> both{{Kind::off, {}}, {Kind::on, {}}};
  std::vector<std::vector<Schedule>> all(record_.sequences.size(), both);
  if (cut_.parts == 1) return all;
  // The search knows one link: that by which most ranks are reached.
  sched::Network network = machine_.network;
  if (network.ranks_per_node > 0 && network.ranks_per_node < cut_.parts)
    network.on_node = network.across;
  network.ranks_per_node = 0;
  const sched::HaloSizes sizes = largest(sizes_);
  const std::vector<core::Level> valid(record_.dats.size(), 0);
  for (std::size_t sequence = 0; sequence < all.size(); ++sequence) {
    const LoopCosts loops = costs_of(sequence, mean_working_bytes(record_, cut_.parts));
    for (sched::Candidate& found : sched::find_candidates({program_.queue(sequence),
                                                           {valid},
                                                           program_.limits(),
                                                           sizes,
                                                           {loops, network},
                                                           tiles_}))
      if (found.schedule.kind == Kind::cuts) all[sequence].push_back(std::move(found.schedule));
  }
  return all;
}

}  // namespace op2::model
