// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/chain_policy.hpp>

#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include <core/text.hpp>
#include <jit/cache_location.hpp>

namespace op2::sched {
namespace {

/// A program whose sequences of loops never repeat must not accumulate them without bound.
constexpr std::size_t max_sequences = 512;

/// Whether the ranks agree on costs after so many executions of a sequence that is not decided: a
/// loop may have no cost yet, because its code was being made. So they ask again, ever more rarely.
bool is_asked(std::int64_t executions) {
  return std::has_single_bit(static_cast<std::uint64_t>(executions));
}

/// What messages cost, before it is known.
constexpr Network unknown{{{{-1, -1, -1}, {-1, -1, -1}}}, -1, -1};

constexpr std::size_t random_schedules = 2 + most_cuts;

/// For so many flushes in a row other sequences must have left other halos: their trials are
/// shorter.
constexpr int lasting = 10;

/// Flushes that times wait for a reduction of the program; then they get a separate one.
constexpr int patience = 2;

/// Sets of a hundred elements with ten in each level, so that all schedules cost about as much.
HaloSizes made_up_sizes(std::size_t sets) {
  SetSizes one;
  for (core::Level h = core::deepest_tracked; h <= 2; ++h)
    one.within.push_back(std::max(0.0, 100.0 + 10 * h));
  one.sent = one.received = {10, 10};
  one.neighbours = {2, 2};
  return {std::vector<SetSizes>(sets, one), 1};
}

/// Whether values of globals are combined in a flush, which the model leaves out.
bool waits_for_reductions(const core::Queue& queue) {
  return std::ranges::any_of(queue.args(), [](const core::LoopArg& arg) {
    return arg.active && arg.kind == OP_ARG_GBL && (arg.global != nullptr || arg.modifies());
  });
}

std::vector<double> seconds_of(const std::vector<Candidate>& schedules) {
  std::vector<double> seconds;
  for (const Candidate& one : schedules) seconds.push_back(one.seconds);
  return seconds;
}

}  // namespace

ChainPolicy::ChainPolicy(const Resources& resources, const ChainLimits& limits)
    : options_(resources.options),
      rows_(resources.rows),
      table_(resources.table),
      log_(resources.log),
      limits_(limits),
      caches_(resources.caches),
      threads_(resources.threads),
      costs_({resources.threads, options_.reproducible}),
      placement_{rows_.communicator().size(), rows_.communicator().on_node().count},
      network_(unknown),
      random_(static_cast<std::uint64_t>(options_.schedules)) {
  if (options_.cache == core::CacheMode::off || !rows_.communicator().is_root()) return;
  cache_directory_ = jit::cache_location(options_.cache_dir);
  std::string problem;
  CostTable kept = read_costs(cache_directory_, problem);
  if (!problem.empty()) log_.warning("costs of earlier runs are not used: " + problem);
  costs_.take_known(std::move(kept.loops));
  networks_ = std::move(kept.networks);
  if (const auto known = networks_.find(placement_); known != networks_.end())
    network_ = known->second;
}

ChainPolicy::~ChainPolicy() {
  if (options_.cache != core::CacheMode::read_write || cache_directory_.empty()) return;
  try {
    CostTable table{costs_.all(most_loops), networks_};
    if (network_.is_known()) keep(placement_, network_, table);
    if (table.empty()) return;
    const std::string problem = write_costs(cache_directory_, table);
    if (!problem.empty()) log_.debug("the table of costs is not kept: " + problem);
  } catch (const std::exception&) {  // out of memory: nothing depends on the table
  }
}

void ChainPolicy::forget() {
  if (waiting_ != nullptr) rows_.communicator().attach({});
  current_ = waiting_ = nullptr;
  revision_.reset();
  sequences_.clear();
}

ChainPolicy::Sequence& ChainPolicy::sequence_of(const core::Queue& queue, std::size_t hash) {
  const auto [first, last] = sequences_.equal_range(hash);
  for (auto known = first; known != last; ++known)
    if (is_sequence_of(known->second.key, queue)) return known->second;
  if (sequences_.size() >= max_sequences) {
    forget();
    forgotten_ = true;
  }
  Sequence& made = sequences_.emplace(hash, Sequence{})->second;
  made.key = sequence_key(queue);
  made.number = ++last_number_;
  return made;
}

ChainPolicy::Turn ChainPolicy::begin(const core::Queue& queue, std::size_t hash,
                                     const std::vector<core::Level>& valid,
                                     const PackTimes& packing) {
  receive_times();
  costs_.begin_flush();
  forgotten_ = false;
  current_ = &sequence_of(queue, hash);
  Sequence& sequence = *current_;
  history_.begin(queue, valid, sequence.halos);
  const std::size_t before = sequence.turn.schedule;
  if (options_.schedules != 0)
    sequence.turn.schedule = random();
  else if (is_asked(sequence.flushes++) && !sequence.trials)
    if (auto inputs = inputs_for(sequence, packing)) decide(sequence, std::move(*inputs));
  packing_ = packing;
  if (sequence.trials) {
    reconsider(sequence);
    sequence.turn = sequence.trials->next();
    if (!std::exchange(sequence.is_explained, true)) explain_choice(sequence);
  }
  return {sequence.turn.schedule, sequence.turn.schedule != before, forgotten_};
}

const Schedule& ChainPolicy::schedule_for(const core::Queue& queue,
                                          const std::vector<core::Level>& valid) {
  Sequence& sequence = *current_;
  if (!sequence.queue) sequence.queue = queue;
  if (options_.schedules != 0 && sequence.schedules.empty()) find_for_random(sequence, valid);
  if (sequence.schedules.empty()) return off_;
  return sequence.schedules[sequence.turn.schedule % sequence.schedules.size()].schedule;
}

void ChainPolicy::end(const FlushTimes& times) {
  if (times.is_made)
    current_->plan_seconds = times.plans - times.once;
  else if (times.plans > 0)
    current_->repeat_seconds = times.plans;
  if (!current_->trials) return;
  current_->trials->prepared(times.plans);
  if (current_->turn.timed) current_->trials->add(times.execution);
  send_times();
}

/// What follows from the model.
void ChainPolicy::decide(Sequence& sequence, PolicyInputs inputs) {
  sequence.learning = sequence.flushes - 1;
  sequence.inputs = std::move(inputs);
  sequence.decided = sequence.halos;
  note_savings(sequence);
  sequence.schedules = find_candidates(inputs_of(sequence));
  sequence.trials.emplace(seconds_of(sequence.schedules), sequence.inputs.plan_seconds);
}

/// What follows from the model when the choice has been measured: now costs are known in the ways
/// that it runs loops, from caches that are warm, and halos are as deep as it needs them.
void ChainPolicy::revise(Sequence& sequence, PolicyInputs inputs) {
  sequence.inputs = std::move(inputs);
  sequence.decided = sequence.halos;
  sequence.schedules = analysed_anew(std::move(sequence.schedules), inputs_of(sequence));
  note_savings(sequence);
  correct_forecast(sequence);
  take_measured(sequence);
  sequence.schedules = with_found(std::move(sequence.schedules), inputs_of(sequence));
  sequence.trials->revise(seconds_of(sequence.schedules));
}

/// What follows from the model when another schedule has been measured.
void ChainPolicy::learn(Sequence& sequence) {
  sequence.schedules = analysed_anew(std::move(sequence.schedules), inputs_of(sequence));
  take_measured(sequence);
  sequence.trials->expect(seconds_of(sequence.schedules));
}

/// The schedules with what measured ones have taken longer than loops and messages explain, if
/// there is nothing else to wait for.
void ChainPolicy::take_measured(Sequence& sequence) {
  std::vector<MeasuredFlush> measured;
  for (std::size_t k = 0; k < sequence.schedules.size(); ++k)
    if (const auto seconds = sequence.trials->measured(k))
      measured.push_back({sequence.schedules[k].work, *seconds});
  if (!waits_for_reductions(*sequence.queue))
    sequence.excess = excess_of(measured, inputs_of(sequence).costs);
  for (Candidate& one : sequence.schedules)
    one.seconds = expected_seconds(one.work, inputs_of(sequence).costs);
}

/// What follows from the model if other sequences, whose schedules have changed, leave other halos
/// than when it was asked last, and have done so for some time. Ever more rarely. Local; uniform.
void ChainPolicy::reconsider(Sequence& sequence) {
  if (!sequence.halos.differ_by_others(sequence.decided)) {
    sequence.different = 0;
    return;
  }
  if (++sequence.different < lasting || sequence.flushes < sequence.not_before ||
      !sequence.trials->is_idle())
    return;
  sequence.different = 0;
  sequence.not_before = 2 * sequence.flushes;
  sequence.decided = sequence.halos;
  sequence.schedules = renewed(std::move(sequence.schedules), inputs_of(sequence));
  sequence.trials->begin_anew(seconds_of(sequence.schedules));
  sequence.is_explained = false;
}

/// Uniform, since the ranks have the same switches.
TileRules ChainPolicy::rules_of(const PolicyInputs& inputs) const {
  TileRules rules{options_.tile, inputs.caches, inputs.threads};
  if (options_.target != core::Target::cpu || options_.jit == core::JitMode::off)
    rules.tiling.mode = core::TileMode::off;
  return rules;
}

/// As agreed last.
CandidateInputs ChainPolicy::inputs_of(const Sequence& sequence) const {
  return {*sequence.queue,
          sequence.halos,
          limits_,
          sequence.inputs.of_rows.sizes,
          {sequence.inputs.costs, sequence.inputs.network, sequence.excess},
          rules_of(sequence.inputs)};
}

void ChainPolicy::explain_choice(Sequence& sequence) {
  const std::size_t choice = sequence.trials->choice();
  const Candidate& off = sequence.schedules.front();
  const Candidate& chosen = sequence.schedules[choice];
  std::string text =
      explain(*sequence.queue, chosen, off, {sequence.inputs.costs, Network{}}) +
      fmt::format("; predicted {:.2f} of off", off.seconds > 0 ? chosen.seconds / off.seconds : 1);
  const auto time = sequence.trials->measured(choice), of_off = sequence.trials->measured(0);
  if (choice != 0 && time && of_off)
    text += fmt::format(", measured {:.2f}", *of_off > 0 ? *time / *of_off : 1);
  if (const std::int64_t flush = sequence.trials->changed_at(); flush > 0)
    text += fmt::format(" (by trials, since flush {})", flush + sequence.learning);
  say(sequence, text);
}

/// In the table of loops and where chains are shown.
void ChainPolicy::say(const Sequence& sequence, const std::string& text) {
  const core::LoopRecord& first = sequence.queue->records().front();
  const std::string subject = fmt::format("chains of sequence {} ({}, {})", sequence.number,
                                          first.is_assignment() ? "an assignment" : first.name,
                                          core::counted(sequence.queue->size(), "loop"));
  table_.note(subject, text);
  if (options_.dump.contains("analyse") && rows_.communicator().is_root())
    log_.dump(fmt::format("{}, flush {}: {}\n", subject, sequence.flushes, text));
}

void ChainPolicy::find_for_random(Sequence& sequence, const std::vector<core::Level>& valid) {
  sequence.inputs.costs.assign(sequence.queue->size(), {{1e-8, 1e-8, 1e-8}});
  sequence.inputs.network = {};
  sequence.inputs.network.links[0].latency = 2e-6;
  sequence.inputs.of_rows.sizes = made_up_sizes(rows_.mesh().sets().size());
  sequence.halos = {valid};
  sequence.schedules = find_candidates(inputs_of(sequence));
}

/// The same on all ranks: they flush the same sequences.
std::size_t ChainPolicy::random() {
  random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<std::size_t>(random_ >> 33) % random_schedules;
}

/// One sequence at a time; another one tries again after its next flush.
void ChainPolicy::send_times() {
  if (waiting_ != nullptr || current_->trials->to_agree().empty()) return;
  std::vector<std::int64_t> words;
  for (const double seconds : current_->trials->to_agree()) words.push_back(to_word(seconds));
  revision_.reset();
  if (current_->trials->is_to_be_revised()) {
    revision_ = own_inputs(*current_, CostBook::Sessions::all, packing_);
    const std::vector<std::int64_t> more = words_of(*revision_);
    words.insert(words.end(), more.begin(), more.end());
  }
  rows_.communicator().attach(std::move(words));
  waiting_ = current_;
  flushes_waited_ = 0;
}

void ChainPolicy::receive_times() {
  if (waiting_ == nullptr) return;
  comm::Communicator& ranks = rows_.communicator();
  auto words = ranks.take_attached();
  double seconds = 0;  // of a reduction that nobody else needs
  if (!words && ++flushes_waited_ >= patience) {
    comm::WordReduction nothing;
    ranks.reduce(nothing, "agreeing on the times of trials");
    words = ranks.take_attached();
    seconds = reduction_seconds(ranks.size(), network_);
  }
  if (!words) return;
  Sequence& sequence = *std::exchange(waiting_, nullptr);
  const std::size_t times = sequence.trials->to_agree().size();
  std::vector<double> greatest;
  for (const std::int64_t word : std::span(*words).first(times))
    greatest.push_back(from_word(word));
  sequence.trials->agree(greatest, seconds);
  if (revision_) {
    take(std::span(*words).subspan(times), *revision_);
    sizes_.keep(revision_->of_rows);
    know_empty_loops(*sequence.queue, *revision_);
    revise(sequence, std::move(*revision_));
  } else {
    learn(sequence);
  }
  sequence.is_explained = false;
}

}  // namespace op2::sched
