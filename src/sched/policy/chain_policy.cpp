// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/chain_policy.hpp>

#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include <core/text.hpp>
#include <jit/cache_directory.hpp>
#include <sched/analysis/slice.hpp>
#include <sched/loop_requests.hpp>

namespace op2::sched {
namespace {

/// A program whose sequences of loops never repeat must not accumulate them without bound.
constexpr std::size_t max_sequences = 512;

/// A schedule needs one from the halos that another one has left, and one from those that it
/// leaves.
constexpr int plans_of_schedule = 2;

/// Executions of a sequence before it is decided with the costs that it has shown itself; the first
/// has cold caches. With those of earlier sessions it is decided after one.
constexpr int flushes_to_learn = 2;

/// Whether the ranks agree on costs after so many executions of a sequence that is not decided: a
/// loop may have no cost yet, because its code was being made. So they ask again, ever more rarely.
bool is_asked(std::int64_t executions) {
  return std::has_single_bit(static_cast<std::uint64_t>(executions));
}

/// What messages cost, before it is known.
Network unknown_network() {
  Network network;
  network.on_node = {-1, -1, -1};
  network.pack_row = network.unpack_byte = -1;
  return network;
}

constexpr std::size_t random_schedules = 5;

/// Off, on, and chains of up to 2, 3 and 4 loops, whatever they cost.
std::vector<Candidate> some_candidates(const core::Queue& queue, const ChainLimits& limits,
                                       bool single_rows) {
  std::vector<Candidate> all{{{Schedule::Kind::off, {}}, {}},
                             {{Schedule::Kind::on, {}, single_rows}, {}}};
  for (std::size_t most = 2; all.size() < random_schedules; ++most) {
    Schedule& cuts = all.emplace_back().schedule;
    cuts.kind = Schedule::Kind::cuts;
    for (const RecordRange& chain : cut_chains(queue, limits)) {
      std::size_t loops = most;
      for (const RecordRange& loop : loops_of(queue, chain)) {
        if (loops++ % most == 0)
          cuts.groups.push_back(loop);
        else
          cuts.groups.back().end = loop.end;
      }
    }
  }
  return all;
}

/// For so many flushes in a row other sequences must have left other halos: measurements
/// are shorter.
constexpr int lasting = 10;

/// Whether values of globals are combined in a flush, which the model leaves out.
bool waits_for_reductions(const core::Queue& queue) {
  return std::ranges::any_of(queue.args(), [](const core::LoopArg& arg) {
    return arg.active && arg.kind == OP_ARG_GBL && (arg.global != nullptr || arg.modifies());
  });
}

std::vector<double> predicted_by(const std::vector<Candidate>& candidates) {
  std::vector<double> seconds;
  for (const Candidate& candidate : candidates) seconds.push_back(candidate.seconds);
  return seconds;
}

/// The first loop without a cost; null if there is none.
const core::LoopRecord* first_unknown(const core::Queue& queue,
                                      const std::vector<LoopCost>& costs) {
  const auto records = queue.records();
  for (std::size_t k = 0; k < records.size(); ++k)
    if (!records[k].is_assignment() && !costs[k].is_known()) return &records[k];
  return nullptr;
}

/// As if all halos were those of the owned rows: no schedule of these chains can take less.
FlushWork without_redundancy(FlushWork work, const core::Queue& queue, const HaloSizes& sizes) {
  for (ChainWork& chain : work.chains) {
    if (chain.exchange) chain.exchange->bytes = chain.exchange->rows = 0;
    for (LoopWork& loop : chain.loops) {
      const auto set = static_cast<std::size_t>(queue.records()[loop.loop].set->index);
      double& boundary = loop.boundary.iterations;
      boundary =
          std::clamp(sizes.sets[set].rows_within(0) - loop.interior.iterations, 0.0, boundary);
    }
  }
  return work;
}

}  // namespace

ChainPolicy::ChainPolicy(const Resources& resources, const ChainLimits& limits)
    : options_(resources.options),
      rows_(resources.rows),
      table_(resources.table),
      log_(resources.log),
      slice_(resources.slice),
      limits_(limits),
      caches_(resources.caches),
      threads_(resources.threads),
      costs_({resources.threads, options_.reproducible}),
      layout_{rows_.communicator().size(), rows_.communicator().on_node().count},
      network_(unknown_network()),
      random_(static_cast<std::uint64_t>(options_.schedules)) {
  if (options_.cache == core::CacheMode::off || !rows_.communicator().is_root()) return;
  cache_directory_ = jit::cache_location(options_.cache_dir);
  std::string problem;
  CostTable kept = read_costs(cache_directory_, problem);
  if (!problem.empty()) log_.warning("costs of earlier runs are not used: " + problem);
  costs_.take_known(std::move(kept.loops));
  networks_ = std::move(kept.networks);
  if (const auto known = networks_.find(layout_); known != networks_.end())
    network_ = known->second;
}

ChainPolicy::~ChainPolicy() {
  if (options_.cache != core::CacheMode::read_write || cache_directory_.empty()) return;
  try {
    CostTable table{costs_.all(most_loops), networks_};
    if (network_.is_known()) keep(layout_, network_, table);
    if (table.empty()) return;
    const std::string problem = write_costs(cache_directory_, table);
    if (!problem.empty()) log_.debug("the table of costs is not kept: " + problem);
  } catch (const std::exception&) {  // out of memory: nothing depends on the table
  }
}

void ChainPolicy::forget() {
  current_ = nullptr;
  sequences_.clear();
}

ChainPolicy::Sequence& ChainPolicy::sequence_of(const core::Queue& queue, std::size_t hash) {
  const auto [first, last] = sequences_.equal_range(hash);
  for (auto known = first; known != last; ++known)
    if (is_sequence_of(known->second.key, queue)) return known->second;
  if (sequences_.size() >= max_sequences) forget();
  Sequence& sequence = sequences_.emplace(hash, Sequence{})->second;
  sequence.key = sequence_key(queue);
  sequence.number = ++last_number_;
  return sequence;
}

ChainPolicy::Turn ChainPolicy::begin(const core::Queue& queue, std::size_t hash,
                                     const std::vector<core::Level>& valid,
                                     const PackTimes& packing) {
  costs_.begin_flush();
  current_ = &sequence_of(queue, hash);
  Sequence& sequence = *current_;
  history_.begin(queue, valid, sequence.halos);
  const std::size_t before = sequence.turn.schedule;
  bool restarted = false;
  if (options_.schedules != 0) {
    sequence.turn.schedule = random();
  } else if (is_asked(sequence.flushes++) && !sequence.choice) {
    if (auto inputs = inputs_for(sequence, packing)) {
      sequence.learning = sequence.flushes - 1;
      sequence.inputs = std::move(*inputs);
      predict(sequence);
    }
  }
  if (sequence.choice) {
    if (!sequence.choice->to_agree().empty())
      update(sequence, packing);
    else
      restarted = restart_if_halos_changed(sequence);
    sequence.turn = sequence.choice->next();
    if (!std::exchange(sequence.is_explained, true)) explain_choice(sequence);
  }
  return {schedule_of(sequence), restarted || sequence.turn.schedule != before, !sequence.queue};
}

const Schedule& ChainPolicy::schedule_for(const core::Queue& queue) {
  Sequence& sequence = *current_;
  if (!sequence.queue) sequence.queue = queue;
  if (options_.schedules != 0 && sequence.candidates.empty())
    sequence.candidates = some_candidates(queue, limits_, slice_ != nullptr);
  return schedule_of(sequence);
}

const Schedule& ChainPolicy::schedule_of(const Sequence& sequence) const {
  if (sequence.candidates.empty()) return off_;
  return sequence.candidates[sequence.turn.schedule % sequence.candidates.size()].schedule;
}

void ChainPolicy::end(const FlushTimes& times) {
  if (times.is_made)
    current_->plan_seconds = times.plans - times.once;
  else if (times.plans > 0)
    current_->repeat_seconds = times.plans;
  if (current_->choice && current_->turn.timed) current_->choice->add(times.execution);
}

/// What all ranks count with before a sequence is decided; nothing: it is not before this
/// execution. Collective in some, the same on all ranks: one reduction; two, if messages are
/// measured.
std::optional<PolicyInputs> ChainPolicy::inputs_for(const Sequence& sequence,
                                                    const PackTimes& packing) {
  using Sessions = CostHistory::Sessions;
  const std::int64_t executions = sequence.flushes - 1;
  const bool has_learned = executions >= flushes_to_learn;
  if (!sequence.queue || !rows_.has_halo_plan() || (!has_learned && !is_kept_)) return {};
  PolicyInputs inputs = agreed(sequence, has_learned ? Sessions::all : Sessions::earlier, packing);
  if (!has_learned) {
    is_kept_ = inputs.network.is_known();
    if (!is_kept_ || first_unknown(*sequence.queue, inputs.costs)) return {};
    return inputs;
  }
  if (!inputs.network.is_known()) {
    network_ = measure_network(rows_.communicator(), neighbours_of(rows_.halo_plan()));
    inputs = agreed(sequence, Sessions::all, packing);
    const Link& link = network_.on_node;
    log_.info(
        fmt::format("OP2_CHAIN=auto: a message between neighbours was measured: latency "
                    "{:.2f} us, {:.2f} us of work at each end, {:.3f} ns for a byte",
                    1e6 * link.latency, 1e6 * link.overhead, 1e9 * link.seconds_per_byte));
  }
  const core::LoopRecord* const unknown_loop = first_unknown(*sequence.queue, inputs.costs);
  if (unknown_loop == nullptr) return inputs;
  if (executions > flushes_to_learn) return {};  // and it was said
  const std::string as_off = fmt::format(
      "as with OP2_CHAIN=off, because no cost of {} was measured", named_with_site(*unknown_loop));
  log_.info(fmt::format("OP2_CHAIN=auto: {} run {}", core::counted(sequence.queue->size(), "loop"),
                        as_off));
  say(sequence, as_off);
  return {};
}

/// The model's choice among new candidates, of which none is measured. Collective, the same on all
/// ranks, if slices might pay.
void ChainPolicy::predict(Sequence& sequence) {
  sequence.decided = sequence.halos;
  sequence.choice.reset();
  sequence.candidates.clear();
  sequence.is_sliced = false;
  note_savings(sequence);
  sequence.candidates = find_candidates(candidate_inputs(sequence));
  consider_slices(sequence);
  const int ranks = rows_.communicator().size();
  sequence.choice.emplace(
      predicted_by(sequence.candidates),
      ExtraCosts{sequence.inputs.plan_seconds,
                 sequence.inputs.network.node_reduction(ranks, reduction_bytes)});
  sequence.is_explained = false;
}

/// What follows from a measurement: now costs are known in the ways that the choice runs loops,
/// from caches that are warm, and halos are as deep as it needs them. Collective: one reduction.
void ChainPolicy::update(Sequence& sequence, const PackTimes& packing) {
  Choice& choice = *sequence.choice;
  const bool is_first = choice.is_first_measurement();
  sequence.inputs = agreed(sequence, CostHistory::Sessions::all, packing, choice.to_agree());
  choice.agree(sequence.inputs.times);
  reevaluate(sequence.candidates, candidate_inputs(sequence));
  note_savings(sequence);
  find_excess(sequence);
  reevaluate(sequence.candidates, candidate_inputs(sequence));
  if (is_first) {
    append_new(sequence.candidates, candidate_inputs(sequence));
    consider_slices(sequence);
  }
  choice.expect(predicted_by(sequence.candidates));
  sequence.is_explained = false;
}

/// If other sequences, whose schedules have changed, leave other halos than when the candidates
/// were found, and have done so for some time. Ever more rarely. @return whether it was; uniform
bool ChainPolicy::restart_if_halos_changed(Sequence& sequence) {
  if (!sequence.halos.differ_by_others(sequence.decided)) {
    sequence.different = 0;
    return false;
  }
  if (++sequence.different < lasting || sequence.flushes < sequence.not_before) return false;
  sequence.different = 0;
  sequence.not_before = 2 * sequence.flushes;
  sequence.learning = sequence.flushes - 1;
  predict(sequence);
  return true;
}

/// A candidate more, the longest chains with single rows of halos, counted exactly, if it could be
/// the fastest. Collective then, the same on all ranks.
void ChainPolicy::consider_slices(Sequence& sequence) {
  auto& candidates = sequence.candidates;
  if (!slice_ || sequence.is_sliced) return;
  const CandidateInputs in = candidate_inputs(sequence);
  Candidate on = candidate_of({Schedule::Kind::on, {}}, in);
  const double fastest = std::ranges::min(candidates, {}, &Candidate::seconds).seconds;
  if (expected_seconds(without_redundancy(on.work, *sequence.queue, in.sizes), in.costs) >= fastest)
    return;
  sequence.is_sliced = true;
  const std::vector<char> others = rewritten();
  const Analysis once = slice_(*sequence.queue, in.halos.valid, others);
  const Analysis again = slice_(*sequence.queue, in.halos.after(once.valid_after), others);
  if (!has_slices(again)) return;
  on.schedule.single_rows = true;
  on.work = work_of(*sequence.queue, again, in.sizes, in.tiles);
  agree(rows_.communicator(), on.work);
  on.seconds = expected_seconds(on.work, in.costs);
  candidates.push_back(std::move(on));
}

std::vector<char> ChainPolicy::rewritten() const {
  const FoundHalos& halos = current_->halos;
  std::vector<char> dats(halos.valid.size(), 0);
  for (std::size_t d = 0; d < halos.changes.size(); ++d)
    dats[d] = halos.changes[d] == FoundHalos::Change::written ? 1 : 0;
  for (const core::LoopArg& arg : current_->queue->args())
    if (arg.modifies_dat()) dats[static_cast<std::size_t>(arg.dat->index)] = 1;
  return dats;
}

/// What measured schedules have taken longer than loops and messages explain, if there is nothing
/// else to wait for.
void ChainPolicy::find_excess(Sequence& sequence) {
  if (waits_for_reductions(*sequence.queue)) return;
  std::vector<MeasuredFlush> measured;
  for (std::size_t k = 0; k < sequence.candidates.size(); ++k)
    if (const auto seconds = sequence.choice->measured(k))
      measured.push_back({sequence.candidates[k].work, *seconds});
  sequence.excess = excess_of(measured, candidate_inputs(sequence).costs);
}

/// What those tiles have spared whose costs are known: of the schedules that were measured; before
/// any was, of `off`, if it has run so often that its tiles were made. Of loops that had none
/// there, whose costs are of earlier sessions: of the longest chains. Loops that should have run in
/// tiles in a schedule that was measured, and have no cost in tiles, gain nothing by them.
void ChainPolicy::note_savings(Sequence& sequence) {
  std::vector<LoopCost>& costs = sequence.inputs.costs;
  std::vector<double> most(costs.size()), longest(costs.size());
  const auto note = [](const FlushWork& work, std::vector<double>& spared) {
    for (const ChainWork& chain : work.chains)
      for (const LoopWork& loop : chain.loops)
        spared[loop.loop] =
            std::max({spared[loop.loop], loop.interior.spared, loop.boundary.spared});
  };
  for (std::size_t k = 0; k < sequence.candidates.size(); ++k) {
    if (!sequence.choice->measured(k)) continue;
    note(sequence.candidates[k].work, most);
    for (const ChainWork& chain : sequence.candidates[k].work.chains)
      for (const LoopWork& loop : chain.loops)
        if (loop.interior.way == Way::tiled || loop.boundary.way == Way::tiled)
          costs[loop.loop].gains_by_tiles = false;
  }
  if (!sequence.choice && sequence.learning >= flushes_to_learn)
    note(candidate_of({Schedule::Kind::off, {}}, candidate_inputs(sequence)).work, most);
  note(candidate_of({Schedule::Kind::on, {}}, candidate_inputs(sequence)).work, longest);
  for (std::size_t k = 0; k < costs.size(); ++k)
    costs[k].most_spared = most[k] > 0 ? most[k] : longest[k];
}

/// Uniform, since the ranks have the same switches.
TileRules ChainPolicy::rules_for(const PolicyInputs& inputs) const {
  TileRules rules{options_.tile, inputs.caches, inputs.threads};
  if (options_.target != core::Target::cpu || options_.jit == core::JitMode::off)
    rules.tiling.mode = core::TileMode::off;
  return rules;
}

/// As agreed last.
CandidateInputs ChainPolicy::candidate_inputs(const Sequence& sequence) const {
  return {*sequence.queue,
          sequence.halos,
          limits_,
          sequence.inputs.sizes,
          {sequence.inputs.costs, sequence.inputs.network, sequence.excess},
          rules_for(sequence.inputs)};
}

/// Sizes of halos travel only if they have changed.
/// @param times  of this rank, on which the ranks agree too
PolicyInputs ChainPolicy::agreed(const Sequence& sequence, CostHistory::Sessions sessions,
                                 const PackTimes& packing, std::span<const double> times) {
  const comm::HaloPlan& plan = rows_.halo_plan();
  const bool are_known = rows_.arrangement() == arrangement_ && plan.depth == depth_;
  PolicyInputs inputs{costs_.costs_of(*sequence.queue, sessions, sequence.inputs.costs),
                      network_of_rank(packing),
                      plans_of_schedule * sequence.plan_seconds + sequence.repeat_seconds,
                      are_known ? HaloSizes{} : sizes_of(plan),
                      caches_,
                      threads_,
                      {times.begin(), times.end()}};
  agree(rows_.communicator(), inputs);
  if (!are_known) {
    sizes_ = inputs.sizes;
    arrangement_ = rows_.arrangement();
    depth_ = plan.depth;
  }
  inputs.sizes = sizes_;
  know_empty_loops(*sequence.queue, inputs);
  network_ = inputs.network;
  return inputs;
}

/// Packing is what exchanges have taken so far, less the sending; unpacking, what it has taken.
Network ChainPolicy::network_of_rank(const PackTimes& packing) const {
  Network network = network_;
  const double sending = packing.messages * network.on_node.overhead;
  if (network.is_known() && packing.rows > 0)
    network.pack_row = std::max(0.0, packing.seconds - sending) / packing.rows;
  if (network.is_known() && packing.bytes_received > 0)
    network.unpack_byte = packing.unpacking_seconds / packing.bytes_received;
  return network;
}

void ChainPolicy::explain_choice(Sequence& sequence) {
  const std::size_t choice = sequence.choice->choice();
  const Candidate& off = sequence.candidates.front();
  const Candidate& chosen = sequence.candidates[choice];
  std::string text =
      explain(*sequence.queue, chosen, off, {sequence.inputs.costs, Network{}}) +
      fmt::format("; predicted {:.2f} of off", off.seconds > 0 ? chosen.seconds / off.seconds : 1);
  const auto time = sequence.choice->measured(choice), of_off = sequence.choice->measured(0);
  if (choice != 0 && time && of_off)
    text += fmt::format(", measured {:.2f}", *of_off > 0 ? *time / *of_off : 1);
  if (const std::int64_t flush = sequence.choice->changed_at(); flush > 0)
    text += fmt::format(" (by comparison, since flush {})", flush + sequence.learning);
  say(sequence, text);
}

/// In the table of loops and where chains are shown.
void ChainPolicy::say(const Sequence& sequence, const std::string& text) {
  const core::LoopRecord& first = sequence.queue->records().front();
  const std::string subject = fmt::format("chains of sequence {} ({}, {})", sequence.number,
                                          first.is_assignment() ? "an assignment" : first.name,
                                          core::counted(sequence.queue->size(), "loop"));
  table_.notes[subject] = text;
  if (options_.dump.contains("analyse") && rows_.communicator().is_root())
    log_.dump(fmt::format("{}, flush {}: {}\n", subject, sequence.flushes, text));
}

/// The same on all ranks: they flush the same sequences.
std::size_t ChainPolicy::random() {
  random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<std::size_t>(random_ >> 33) % random_schedules;
}

}  // namespace op2::sched
