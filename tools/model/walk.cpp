// SPDX-License-Identifier: BSD-3-Clause
#include "walk.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "failure.hpp"
#include "tiles.hpp"

namespace op2::model {
namespace {

/// Bytes of a reduction over the ranks (comm/messages/message_layer.hpp).
constexpr std::int64_t reduction_bytes = 512;

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
      const auto found = pending.find(arg.global);
      if (loop.set < 0)
        assigned.push_back(arg.global);
      else if (found != pending.end() && found->second != arg.access)
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

/// Into how many colours the loop of a record is divided, which has a record for each.
double colours_of(const core::RecordedSequence& loops, std::size_t record) {
  std::size_t last = record;
  while (last + 1 < loops.size() && loops[last + 1].colour == loops[last].colour + 1) ++last;
  return loops[last].colour + 1;
}

/// A schedule as a key.
std::vector<std::size_t> numbers_of(const Schedule& schedule) {
  std::vector<std::size_t> numbers{static_cast<std::size_t>(schedule.kind)};
  for (const sched::RecordRange& group : schedule.groups) numbers.push_back(group.end);
  return numbers;
}

/// The last rows of a set are not owned, so redundant iterations come last.
PhaseIterations iterations_of(int set, const sched::LoopLevels& levels, const RankHalo& halo) {
  const std::int32_t all = halo.rows(set, levels.extent);
  const std::int32_t interior = std::min(all, halo.rows(set, levels.interior));
  const std::int32_t redundant = std::max(0, all - halo.rows(set, 0));
  const std::int32_t late = std::min(redundant, all - interior);
  return {{interior, redundant - late}, {all - interior, late}};
}

std::span<const core::RecordedLoop> loops_of(const core::RecordedSequence& sequence,
                                             const ModelChain& chain) {
  return std::span(sequence).subspan(chain.records.begin, chain.records.end - chain.records.begin);
}

}  // namespace

/// A walk in progress. Everything that repeats is counted `weight` times.
struct Walk::State {
  Clocks clocks;
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
      busy_(busy) {
  for (const RankHalo& halo : cut.ranks) {
    std::vector<double> owned;
    for (std::size_t set = 0; set < cut.sets; ++set)
      owned.push_back(halo.rows(static_cast<int>(set), 0));
    part_bytes_.push_back(working_bytes(record_, owned));
  }
  for (const core::RecordedSequence& sequence : record_.sequences)
    host_seconds_.push_back(costs.host(sequence));
  note_savings();
}

/// Tiled costs are those of records of one rank, whose chains no exchange cuts.
void Walk::note_savings() {
  const std::vector<core::Level> valid(record_.dats.size(), 0);
  for (std::size_t sequence = 0; sequence < record_.sequences.size(); ++sequence)
    for (const ModelChain& chain : program_.plan(sequence, {}, 1, valid).chains) {
      const std::vector<Step> steps = steps_of(record_.sequences[sequence], chain);
      const double saved = saved_by(steps);
      for (const Step& step : steps)
        for (const std::string& name : step.names) saved_[name] = std::max(saved_[name], saved);
    }
}

/// Loops that were fused when the run was recorded are one step if they may be here: neighbours on
/// one set and on the same levels.
std::vector<Walk::Step> Walk::steps_of(const core::RecordedSequence& loops,
                                       const ModelChain& chain) const {
  std::vector<Step> steps;
  for (std::size_t first = 0; first < chain.loops.size();) {
    const auto& loop = loops[chain.loops[first].record];
    Step best{{loop.name},
              loop.set,
              chain.loops[first].levels,
              colours_of(loops, chain.loops[first].record)};
    Step longer = best;
    for (std::size_t k = first + 1;
         k < chain.loops.size() && longer.names.size() < costs_.longest(); ++k) {
      const auto& next = loops[chain.loops[k].record];
      if (next.set != longer.set || chain.loops[k].levels != longer.levels) break;
      longer.names.push_back(next.name);
      if (costs_.knows(longer.names)) best = longer;
    }
    first += best.names.size();
    for (const std::string& name : best.names) best.bytes += traffic_of(record_, name);
    steps.push_back(std::move(best));
  }
  return steps;
}

/// On nodes with more busy ranks than when costs were measured, what waits for memory takes longer.
/// A loop that moves more bytes than memory can has its data in a cache.
double Walk::seconds_of(const Step& step, double gain, double part) const {
  const double seconds = costs_.of(step.names, gain, part) / step.colours;
  const int per_node = machine_.ranks_per_node > 0 ? machine_.ranks_per_node : cut_.parts;
  const double slowdown = machine_.slowdown(busy_, std::min(per_node, cut_.parts));
  if (slowdown == 1 || seconds <= 0) return seconds;
  const double share = step.bytes / step.colours / seconds / machine_.rate(busy_);
  return share > 1 ? seconds : seconds * (1 + share * (slowdown - 1));
}

double Walk::saved_by(const std::vector<Step>& steps) const {
  if (steps.size() < 2) return 0;
  if (record_.all_in_tiles) return 1;
  std::vector<LoopNames> names;
  for (const Step& step : steps) names.push_back(step.names);
  return saved_in_tiles(record_, names);
}

/// Of what tiles gained when costs were recorded: as much as this chain saves of its traffic, by
/// what the loop's chains saved then.
double Walk::gain_of(const Step& step, double saved) const {
  const auto found = saved_.find(step.names.front());
  const double then = found != saved_.end() ? found->second : 0;
  if (then == 0) return saved > 0 ? 1 : 0;
  return std::min(1.0, saved / then);
}

void Walk::time(TimedChain& chain) const {
  chain.loops.assign(chain.steps.size(), {1, 0, 0});
  for (std::size_t rank = 0; rank < cut_.ranks.size(); ++rank) {
    std::vector<Iterations> interior, boundary;
    for (const Step& step : chain.steps) {
      const PhaseIterations made = iterations_of(step.set, step.levels, cut_.ranks[rank]);
      interior.push_back(made.interior);
      boundary.push_back(made.boundary);
    }
    add_phase(chain, rank, interior, chain.phases.interior[rank]);
    add_phase(chain, rank, boundary, chain.phases.boundary[rank]);
  }
}

/// As the library finds them: a step in colours separates others, one without iterations does not.
std::vector<bool> Walk::in_tiles(const std::vector<Step>& steps, std::span<const Iterations> made) {
  std::vector<bool> found(steps.size());
  std::vector<std::size_t> adjacent;
  const auto end = [&] {
    if (adjacent.size() > 1)
      for (const std::size_t k : adjacent) found[k] = true;
    adjacent.clear();
  };
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (made[k].all == 0) continue;
    if (steps[k].colours > 1)
      end();
    else
      adjacent.push_back(k);
  }
  end();
  return found;
}

void Walk::add_phase(TimedChain& chain, std::size_t rank, std::span<const Iterations> made,
                     double& sum) const {
  const std::vector<bool> tiles = in_tiles(chain.steps, made);
  for (std::size_t k = 0; k < made.size(); ++k) {
    const double gain = tiles[k] ? chain.gains[k] : 0;
    const double each = seconds_of(chain.steps[k], gain, part_bytes_[rank]);
    sum += each * made[k].all;
    chain.loops[k].seconds += each * made[k].all;
    chain.loops[k].redundant += each * made[k].redundant;
  }
}

const Walk::TimedPlan& Walk::plan_of(std::size_t sequence, const Schedule& schedule,
                                     const std::vector<core::Level>& valid) {
  const auto [entry, is_new] = plans_.try_emplace({sequence, numbers_of(schedule), valid});
  TimedPlan& timed = entry->second;
  if (!is_new) return timed;
  timed.plan = program_.plan(sequence, schedule, cut_.parts, valid);
  if (timed.plan.rows > cut_.level && cut_.parts > 1)
    throw Failure(fmt::format(
        "the cut has too few halo layers: {}, a chain needs {}; give 'cut' the option --layers",
        cut_.level / 2, (timed.plan.rows + 1) / 2));
  for (const ModelChain& chain : timed.plan.chains) {
    std::vector<std::array<int, 3>> layers;
    for (const comm::DatLayers& dat : chain.exchanged)
      layers.push_back({dat.dat->index, dat.from, dat.to});
    const auto [messages, unseen] = exchanges_.try_emplace(layers);
    if (unseen) messages->second = messages_of(cut_, record_, chain.exchanged);
    TimedChain& made = timed.chains.emplace_back();
    made.chain = &chain;
    made.messages = &messages->second;
    made.steps = steps_of(record_.sequences[sequence], chain);
    const double saved = saved_by(made.steps);
    for (const Step& step : made.steps) made.gains.push_back(gain_of(step, saved));
    made.phases.interior.resize(cut_.ranks.size());
    made.phases.boundary.resize(cut_.ranks.size());
    time(made);
  }
  return timed;
}

void Walk::flush(std::size_t sequence, State& state) {
  const double begin = state.clocks.slowest();
  const core::RecordedSequence& loops = record_.sequences[sequence];
  const TimedPlan& plan = plan_of(sequence, state.schedules[sequence], state.valid);
  const auto weight = static_cast<double>(state.weight);
  state.clocks.work(host_seconds_[sequence], weight);
  for (const TimedChain& chain : plan.chains) {
    const auto records = loops_of(loops, *chain.chain);
    if (needs_combined(records, state.pending)) {
      state.clocks.reduce(reduction_bytes, weight);
      state.pending.clear();
    }
    note_reductions(records, state.pending);
    state.clocks.run(*chain.messages, chain.phases, weight);
    if (reduces_at_once(records)) state.clocks.reduce(reduction_bytes, weight);
    state.found.exchanges += chain.chain->exchanged.empty() ? 0 : state.weight;
    for (std::size_t k = 0; k < chain.steps.size(); ++k) {
      auto& loop = state.found.loops[fmt::format("{}", fmt::join(chain.steps[k].names, "+"))];
      loop.calls += state.weight;
      loop.seconds += weight * chain.loops[k].seconds / cut_.parts;
      loop.redundant += weight * chain.loops[k].redundant / cut_.parts;
    }
  }
  state.valid = plan.plan.valid_after;
  Prediction::Flush& flush = state.found.flushes[sequence];
  flush.times += state.weight;
  flush.seconds += weight * (state.clocks.slowest() - begin);
}

void Walk::happen(int event, State& state) {
  if (event >= 0) return flush(at(event), state);
  if (state.pending.erase(core::fetched_global(event)) > 0)
    state.clocks.reduce(reduction_bytes, static_cast<double>(state.weight));
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

Prediction Walk::run(const std::vector<Schedule>& schedules, const Machine& network) {
  State state{Clocks(cut_.parts, network),
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

std::vector<RankCounts> Walk::count(const std::vector<std::size_t>& sequences,
                                    const Schedule& schedule) {
  std::vector<RankCounts> counts(cut_.ranks.size());
  std::vector<core::Level> valid(record_.dats.size(), 0);
  for (const std::size_t sequence : sequences) {
    const TimedPlan& timed = plan_of(sequence, schedule, valid);
    valid = timed.plan.valid_after;
    for (const TimedChain& chain : timed.chains) {
      for (const PairMessage& message : *chain.messages) {
        RankCounts& sender = counts[at(message.from)];
        ++sender.messages;
        sender.bytes += message.bytes;
        sender.rows += message.rows;
      }
      for (const ModelChain::Loop& loop : chain.chain->loops) {
        const core::RecordedLoop& recorded = record_.sequences[sequence][loop.record];
        if (recorded.colour > 0) continue;  // counted with the first
        for (std::size_t rank = 0; rank < counts.size(); ++rank) {
          const auto [interior, boundary] =
              iterations_of(recorded.set, loop.levels, cut_.ranks[rank]);
          counts[rank].interior += interior.all;
          counts[rank].boundary += boundary.all;
          counts[rank].redundant += interior.redundant + boundary.redundant;
        }
      }
    }
  }
  return counts;
}

}  // namespace op2::model
