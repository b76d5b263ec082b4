// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/chain_policy.hpp>

#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include <core/counted.hpp>
#include <jit/cache_location.hpp>
#include <sched/policy/network_probe.hpp>

namespace op2::sched {
namespace {

/// A program whose sequences of loops never repeat must not accumulate them without bound.
constexpr std::size_t max_sequences = 512;

/// A schedule needs one from the halos that another one has left, and one from those that it
/// leaves.
constexpr int plans_of_schedule = 2;

/// Executions of a sequence before the one in which it is decided: with the costs of earlier
/// sessions, and with those that it has shown itself; the first has cold caches.
constexpr int learning_with_kept = 1, learning = 2;

/// Whether the ranks agree on costs after so many executions of a sequence that is not decided: a
/// loop may have no cost yet, because its code was being made. So they ask again, ever more rarely.
bool is_asked(int executions) {
  return executions >= learning_with_kept && std::has_single_bit(static_cast<unsigned>(executions));
}

/// What messages cost, before it is known.
constexpr Network unknown{{{{-1, -1, -1}, {-1, -1, -1}}}, -1, -1};

constexpr std::size_t random_schedules = 2 + most_cuts;

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

/// Loops over sets that have no elements on any rank cost nothing.
void know_empty_loops(const core::Queue& queue, PolicyInputs& inputs) {
  const auto records = queue.records();
  for (std::size_t k = 0; k < records.size(); ++k) {
    if (records[k].is_assignment() || inputs.costs[k].is_known()) continue;
    const auto set = static_cast<std::size_t>(records[k].set->index);
    if (inputs.of_rows.sizes.sets[set].rows_within(0) == 0) inputs.costs[k].seconds.front() = 0;
  }
}

std::vector<double> seconds_of(const std::vector<Candidate>& schedules) {
  std::vector<double> seconds;
  for (const Candidate& one : schedules) seconds.push_back(one.seconds);
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

}  // namespace

ChainPolicy::ChainPolicy(const Resources& resources, const ChainLimits& limits)
    : options_(resources.options),
      rows_(resources.rows),
      table_(resources.table),
      log_(resources.log),
      limits_(limits),
      costs_({resources.threads, options_.reproducible}),
      placement_{rows_.communicator().size(), rows_.communicator().on_node().count},
      network_(unknown),
      random_(static_cast<std::uint64_t>(options_.schedules)) {
  if (options_.cache == core::CacheMode::off || !rows_.communicator().is_root()) return;
  cache_directory_ = jit::cache_location(options_.cache_dir);
  std::string problem;
  CostTable kept = read_costs(cache_directory_, problem);
  if (!problem.empty())
    log_.warning("the table of costs is ignored, and replaced at op_exit: " + problem);
  costs_.take_known(std::move(kept.loops));
  networks_ = std::move(kept.networks);
  if (const auto known = networks_.find(placement_); known != networks_.end())
    network_ = known->second;
}

ChainPolicy::~ChainPolicy() {
  if (options_.cache != core::CacheMode::read_write || cache_directory_.empty()) return;
  try {
    CostTable table{costs_.all(), networks_};
    if (network_.is_known()) table.networks[placement_] = network_;
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
  receive_times(valid);
  costs_.begin_flush();
  forgotten_ = false;
  current_ = &sequence_of(queue, hash);
  Sequence& sequence = *current_;
  const std::size_t before = sequence.turn.schedule;
  if (options_.schedules != 0)
    sequence.turn.schedule = random();
  else if (is_asked(sequence.flushes++) && !sequence.trials)
    if (auto inputs = inputs_for(sequence, packing)) decide(sequence, valid, std::move(*inputs));
  packing_ = packing;
  if (sequence.trials) {
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
void ChainPolicy::decide(Sequence& sequence, const std::vector<core::Level>& valid,
                         PolicyInputs inputs) {
  sequence.learning = sequence.flushes - 1;
  sequence.costs = std::move(inputs.costs);
  sequence.schedules = find_candidates(
      {*sequence.queue, valid, limits_, inputs.of_rows.sizes, {sequence.costs, inputs.network}});
  sequence.trials.emplace(seconds_of(sequence.schedules), inputs.plan_seconds);
}

/// What follows from the model when the choice has been measured: now costs are known in the ways
/// that it runs loops, from caches that are warm, and halos are as deep as it needs them.
void ChainPolicy::revise(Sequence& sequence, const std::vector<core::Level>& valid,
                         PolicyInputs inputs) {
  sequence.costs = std::move(inputs.costs);
  const std::size_t choice = sequence.trials->choice();
  sequence.schedules = renewed(
      std::move(sequence.schedules), {choice, *sequence.trials->measured(choice)},
      {*sequence.queue, valid, limits_, inputs.of_rows.sizes, {sequence.costs, inputs.network}});
  sequence.trials->revise(seconds_of(sequence.schedules));
}

/// Nothing: it is not decided before this execution. Collective in some, the same on all ranks.
ChainPolicy::Inputs ChainPolicy::inputs_for(const Sequence& sequence, const PackTimes& packing) {
  if (!sequence.queue || !rows_.has_halo_plan()) return std::nullopt;
  const int before = sequence.flushes - 1;
  if (before >= learning) return measured_inputs(sequence, packing);
  return is_kept_ ? kept_inputs(sequence, packing) : std::nullopt;
}

/// If earlier sessions have left all costs. Collective: one reduction.
ChainPolicy::Inputs ChainPolicy::kept_inputs(const Sequence& sequence, const PackTimes& packing) {
  PolicyInputs inputs = agreed(sequence, CostBook::Sessions::earlier, packing);
  is_kept_ = inputs.network.is_known();
  if (!is_kept_ || first_unknown(*sequence.queue, inputs.costs)) return std::nullopt;
  return inputs;
}

/// If the cost of every loop was measured. Collective: one reduction; if messages are measured,
/// two.
ChainPolicy::Inputs ChainPolicy::measured_inputs(const Sequence& sequence,
                                                 const PackTimes& packing) {
  PolicyInputs inputs = agreed(sequence, CostBook::Sessions::all, packing);
  if (!inputs.network.is_known()) {
    network_ = measure_network(rows_.communicator(), neighbours_of(rows_.halo_plan()));
    inputs = agreed(sequence, CostBook::Sessions::all, packing);
    const Link& link = network_.at(Distance::on_node);
    log_.info(
        fmt::format("OP2_CHAIN=auto: a message between neighbours was measured: latency "
                    "{:.2f} us, {:.2f} us of work at each end, {:.3f} ns for a byte",
                    1e6 * link.latency, 1e6 * link.overhead, 1e9 * link.seconds_per_byte));
  }
  const core::LoopRecord* const unknown_loop = first_unknown(*sequence.queue, inputs.costs);
  if (unknown_loop == nullptr) return inputs;
  if (sequence.flushes - 1 > learning) return std::nullopt;  // and it was said
  log_.info(fmt::format(
      "OP2_CHAIN=auto: {} run as with OP2_CHAIN=off, because no cost of loop '{}' ({}:{}) was "
      "measured",
      core::counted(sequence.queue->size(), "loop"), unknown_loop->name, unknown_loop->where.file,
      unknown_loop->where.line));
  return std::nullopt;
}

/// Of this rank.
PolicyInputs ChainPolicy::own_inputs(const Sequence& sequence, CostBook::Sessions sessions,
                                     const PackTimes& packing) const {
  return {costs_.costs_of(*sequence.queue, sessions), network_of_rank(packing),
          plans_of_schedule * sequence.plan_seconds + sequence.repeat_seconds, sizes_.of(rows_)};
}

PolicyInputs ChainPolicy::agreed(const Sequence& sequence, CostBook::Sessions sessions,
                                 const PackTimes& packing) {
  PolicyInputs inputs = own_inputs(sequence, sessions, packing);
  agree(rows_.communicator(), inputs);
  sizes_.keep(inputs.of_rows);
  know_empty_loops(*sequence.queue, inputs);
  network_ = inputs.network;
  return inputs;
}

/// Packing is what exchanges have taken so far, less the sending; unpacking, what it has taken.
Network ChainPolicy::network_of_rank(const PackTimes& packing) const {
  Network network = network_;
  const double sending = packing.messages * network.at(Distance::on_node).overhead;
  if (network.is_known() && packing.rows > 0)
    network.packed_row = std::max(0.0, packing.seconds - sending) / packing.rows;
  if (network.is_known() && packing.bytes_received > 0)
    network.received_byte = packing.unpacking_seconds / packing.bytes_received;
  return network;
}

void ChainPolicy::explain_choice(Sequence& sequence) {
  const std::size_t choice = sequence.trials->choice();
  const Candidate& off = sequence.schedules.front();
  const Candidate& chosen = sequence.schedules[choice];
  std::string text =
      explain(*sequence.queue, chosen, off, {sequence.costs, Network{}}) +
      fmt::format("; predicted {:.2f} of off", off.seconds > 0 ? chosen.seconds / off.seconds : 1);
  const auto time = sequence.trials->measured(choice), of_off = sequence.trials->measured(0);
  if (choice != 0 && time && of_off)
    text += fmt::format(", measured {:.2f}", *of_off > 0 ? *time / *of_off : 1);
  if (const int flush = sequence.trials->changed_at(); flush > 0)
    text += fmt::format(" (by trials, since flush {})", flush + sequence.learning);
  const std::string subject = fmt::format("chains of sequence {} ({}, {})", sequence.number,
                                          sequence.queue->records().front().is_assignment()
                                              ? "an assignment"
                                              : sequence.queue->records().front().name,
                                          core::counted(sequence.queue->size(), "loop"));
  table_.note(subject, text);
  if (options_.dump.analyse && rows_.communicator().is_root())
    log_.dump(fmt::format("{}: {}\n", subject, text));
}

void ChainPolicy::find_for_random(Sequence& sequence, const std::vector<core::Level>& valid) {
  sequence.costs.assign(sequence.queue->size(), {{1e-8, 1e-8, 1e-8}});
  Network network;
  network.links[0].latency = 2e-6;
  const HaloSizes sizes = made_up_sizes(rows_.mesh().sets().size());
  sequence.schedules =
      find_candidates({*sequence.queue, valid, limits_, sizes, {sequence.costs, network}});
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

/// @param valid  before the flush that follows
void ChainPolicy::receive_times(const std::vector<core::Level>& valid) {
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
  std::span<const std::int64_t> left = *words;
  std::vector<double> greatest;
  for (std::size_t times = sequence.trials->to_agree().size(); times > 0; --times) {
    greatest.push_back(from_word(left.front()));
    left = left.subspan(1);
  }
  sequence.trials->agree(greatest, seconds);
  if (revision_) {
    take(left, *revision_);
    sizes_.keep(revision_->of_rows);
    know_empty_loops(*sequence.queue, *revision_);
    revise(sequence, valid, std::move(*revision_));
  }
  sequence.is_explained = false;
}

}  // namespace op2::sched
