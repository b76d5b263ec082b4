// SPDX-License-Identifier: BSD-3-Clause
// `op2-model predict`: the ways of OP2_CHAIN on each cut, as text and as a table of values.
#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/log.hpp>
#include <core/text.hpp>

#include "commands.hpp"
#include "cut.hpp"
#include "files.hpp"
#include "walk.hpp"

namespace op2::model {
namespace {

/// Seconds of a prediction that have one cause. Causes overlap: their sum is not that of the run.
struct Cause {
  const char* what;
  double seconds;
};

/// Seconds that a program takes before its first time step on so many ranks: an estimate.
struct StartUp {
  double partition = 0;  ///< owners and halos
  double code = 0;       ///< one rank compiles or loads; the others receive
  double plans = 0;
  double all() const { return partition + code + plans; }
};

/// The three ways of OP2_CHAIN for one cut.
struct Comparison {
  Prediction off, on, automatic;
  std::vector<Schedule> chosen;  ///< of each sequence, in `automatic`
  StartUp start;
  std::vector<Cause> causes = {};  ///< of `automatic`, the greatest first
};

/// The schedule of each sequence whose flushes take least time, of those that the library would
/// try.
std::vector<Schedule> fastest(Walk& walk, const std::vector<std::vector<Schedule>>& candidates,
                              const Prediction& off, const Prediction& on) {
  std::size_t most = 0;
  for (const auto& schedules : candidates) most = std::max(most, schedules.size());
  std::vector<Prediction> walked{off, on};
  for (std::size_t k = walked.size(); k < most; ++k) {
    std::vector<Schedule> schedules;
    for (const auto& known : candidates) schedules.push_back(known[std::min(k, known.size() - 1)]);
    walked.push_back(walk.run(schedules));
  }
  std::vector<Schedule> chosen;
  for (std::size_t sequence = 0; sequence < candidates.size(); ++sequence) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < candidates[sequence].size(); ++k)
      if (walked[k].flushes[sequence].seconds < walked[best].flushes[sequence].seconds) best = k;
    chosen.push_back(candidates[sequence][best]);
  }
  return chosen;
}

/// A combination of what is best for each sequence is usually the best for all.
void choose(Walk& walk, const std::vector<std::vector<Schedule>>& candidates, Comparison& c) {
  c.chosen = fastest(walk, candidates, c.off, c.on);
  c.automatic = walk.run(c.chosen);
  for (const auto& [one, kind] :
       {std::pair(&c.off, Schedule::Kind::off), std::pair(&c.on, Schedule::Kind::on)}) {
    if (one->seconds >= c.automatic.seconds) continue;
    c.automatic = *one;
    c.chosen.assign(candidates.size(), {kind, {}});
  }
}

/// Messages that take as long as if they had no bytes.
Link without_bytes(const Link& link) {
  const sched::MessageSize empty = link.message(0);
  return {empty.latency, empty.overhead, 0};
}

/// Messages that take what their bytes take alone.
Link without_latency(Link link) {
  const sched::MessageSize empty = link.message(0);
  for (sched::MessageSize& size : link.sizes) {
    size.latency = std::max(0.0, size.latency - empty.latency);
    size.overhead = std::max(0.0, size.overhead - empty.overhead);
  }
  link.latency = link.overhead = 0;
  return link;
}

/// What the run would not take if one thing on the machine took no time; and what remains then.
std::vector<Cause> causes_of(Walk& walk, const sched::Network& network, const Comparison& c) {
  sched::Network no_latency = network, no_bytes = network, quiet = network;
  for (Link sched::Network::* link : {&sched::Network::on_node, &sched::Network::across}) {
    no_latency.*link = without_latency(network.*link);
    no_bytes.*link = without_bytes(network.*link);
  }
  no_latency.reduction = 0;
  no_bytes.pack_row = no_bytes.pack_byte = no_bytes.unpack_byte = 0;
  quiet.disturbance = 0;
  const double all = c.automatic.seconds;
  const auto saved = [&](const sched::Network& other) {
    return all - walk.run(c.chosen, other).seconds;
  };
  double computation = 0;
  for (const auto& [name, loop] : c.automatic.loops) computation += loop.seconds;
  const double program = c.automatic.overheads.host;
  std::vector<Cause> causes{
      {"computation", computation},
      {"the program and the queue", program},
      {"latency of messages and reductions", saved(no_latency)},
      {"bandwidth and packing", saved(no_bytes)},
      {"waiting for disturbed ranks", saved(quiet)},
      {"waiting for ranks with more work", all - saved({}) - computation - program}};
  std::ranges::stable_sort(causes, std::greater(), &Cause::seconds);
  return causes;
}

Comparison compare(Walk& walk, const std::vector<std::vector<Schedule>>& candidates) {
  const std::size_t sequences = candidates.size();
  Comparison c;
  c.off = walk.run(std::vector(sequences, Schedule{Schedule::Kind::off, {}}));
  c.on = walk.run(std::vector(sequences, Schedule{Schedule::Kind::on, {}}));
  choose(walk, candidates, c);
  return c;
}

/// The partition as the serial cut, divided evenly, in log2(ranks) rounds; code as in the recorded
/// run, and a broadcast of each kernel; plans as there, which smaller parts can only shorten.
StartUp start_up(const core::RunRecord& record, const Cut& cut, const Machine& machine) {
  constexpr double bytes_of_kernel = 60e3;
  const sched::Network& network = machine.network;
  const Link& link = network.ranks_per_node > 0 ? network.across : network.on_node;
  const double broadcast = sched::tree_seconds(cut.parts, link, bytes_of_kernel);
  const double partition =
      cut.parts == 1 ? record.partition.seconds
                     : (cut.cut_seconds + cut.halo_seconds) * sched::rounds(cut.parts) / cut.parts;
  return {partition, record.compile_seconds + record.kernels * broadcast, record.plan_seconds};
}

/// As the table of values and the text call it.
struct KindOfOverhead {
  const char *name, *words;
  double sched::Overheads::* part;
};
constexpr KindOfOverhead kinds_of_overhead[] = {
    {"host", "program and queue", &sched::Overheads::host},
    {"messages", "packing and messages", &sched::Overheads::messages},
    {"waits", "waits", &sched::Overheads::waits},
    {"reductions", "reductions", &sched::Overheads::reductions}};

/// "save_soln+adt_calc+... (18 loops)".
std::string name_of(const core::RecordedSequence& sequence) {
  std::vector<std::string> names;
  for (const core::RecordedLoop& loop : sequence)
    if (loop.set >= 0) names.push_back(loop.name);
  if (names.empty()) return "no loops";
  return names.size() == 1 ? names.front()
                           : fmt::format("{}... ({} loops)", names.front(), names.size());
}

/// Of the loops, with the shares of the most important way first.
std::vector<std::string> loops_by_time(const Comparison& c) {
  std::map<std::string, double> most;
  for (const Prediction* one : {&c.off, &c.on})
    for (const auto& [name, loop] : one->loops) most[name] = std::max(most[name], loop.seconds);
  std::vector<std::string> names;
  for (const auto& [name, seconds] : most) names.push_back(name);
  std::ranges::stable_sort(names, std::greater(), [&](const auto& name) { return most[name]; });
  return names;
}

double loop_seconds(const Prediction& one, const std::string& name) {
  const auto found = one.loops.find(name);
  return found == one.loops.end() ? 0 : found->second.seconds;
}

/// "  auto: most of it is computation, 71 %; latency 18 %": causes of one per cent and more.
std::string causes_in_words(const Comparison& c) {
  constexpr double least = 0.01;
  std::string text;
  for (const Cause& cause : c.causes) {
    const double share = c.automatic.seconds > 0 ? cause.seconds / c.automatic.seconds : 0;
    if (share < least) continue;
    text += text.empty()
                ? fmt::format("  auto: most of it is {}, {:.0f} %", cause.what, 100 * share)
                : fmt::format(", {} {:.0f} %", cause.what, 100 * share);
  }
  return text.empty() ? "" : text + "\n";
}

std::string words_of(const Schedule& schedule) {
  using Kind = Schedule::Kind;
  if (schedule.kind != Kind::cuts) return schedule.kind == Kind::on ? "on" : "off";
  return fmt::format("{} chains", schedule.groups.size());
}

/// A line per cut.
std::string summary_of(const std::vector<Comparison>& all) {
  std::string text =
      fmt::format("{:>7} {:>11} {:>11} {:>11} {:>8} {:>10} {:>10} {:>10}\n", "ranks", "off, s",
                  "on, s", "auto, s", "off/on", "exch. off", "exch. on", "start, s");
  for (const Comparison& c : all)
    text += fmt::format("{:>7} {:>11.6g} {:>11.6g} {:>11.6g} {:>8.3f} {:>10} {:>10} {:>10.3g}\n",
                        c.off.ranks, c.off.seconds, c.on.seconds, c.automatic.seconds,
                        c.on.seconds > 0 ? c.off.seconds / c.on.seconds : 1.0, c.off.exchanges,
                        c.on.exchanges, c.start.all());
  return text;
}

/// Flushes and loops of one cut.
std::string details_of(const core::RunRecord& record, const Comparison& c) {
  std::string text = fmt::format("\n{} ranks\n  {:<38} {:>9} {:>12} {:>12}  {}\n", c.off.ranks,
                                 "flush, us each", "times", "off", "on", "auto");
  for (std::size_t k = 0; k < record.sequences.size(); ++k)
    text += fmt::format("  {:<38.38} {:>9} {:>12.2f} {:>12.2f}  {}\n", name_of(record.sequences[k]),
                        c.off.flushes[k].times, 1e6 * c.off.flushes[k].each(),
                        1e6 * c.on.flushes[k].each(), words_of(c.chosen[k]));
  text +=
      fmt::format("  {:<38} {:>9} {:>12} {:>12}\n", "loop, s, mean of the ranks", "", "off", "on");
  for (const std::string& name : loops_by_time(c))
    text += fmt::format("  {:<38.38} {:>9} {:>12.6f} {:>12.6f}\n", name, "",
                        loop_seconds(c.off, name), loop_seconds(c.on, name));
  for (const auto& [name, words, part] : kinds_of_overhead)
    text += fmt::format("  {:<38} {:>9} {:>12.6f} {:>12.6f}\n", words, "", c.off.overheads.*part,
                        c.on.overheads.*part);
  text += causes_in_words(c);
  return text + fmt::format("  start: partition {:.3g} s, code {:.3g} s, plans {:.3g} s\n",
                            c.start.partition, c.start.code, c.start.plans);
}

/// Columns ranks, chain, kind, name, times, seconds, redundant: a row for each total, flush, loop,
/// overhead and part of the start.
std::string csv_of(const core::RunRecord& record, const std::vector<Comparison>& all) {
  std::string text = "ranks,chain,kind,name,times,seconds,redundant\n";
  const auto row = [&](int ranks, const char* chain, const char* kind, const std::string& name,
                       std::int64_t times, double seconds, double redundant) {
    text += fmt::format("{},{},{},{},{},{:.9g},{:.9g}\n", ranks, chain, kind, core::quoted(name),
                        times, seconds, redundant);
  };
  for (const Comparison& c : all) {
    for (const auto& [chain, one] :
         {std::pair("off", &c.off), std::pair("on", &c.on), std::pair("auto", &c.automatic)}) {
      row(one->ranks, chain, "total", "run", 1, one->seconds, 0);
      for (std::size_t k = 0; k < one->flushes.size(); ++k)
        row(one->ranks, chain, "flush", fmt::format("{}: {}", k, name_of(record.sequences[k])),
            one->flushes[k].times, one->flushes[k].seconds, 0);
      for (const auto& [name, loop] : one->loops)
        row(one->ranks, chain, "loop", name, loop.calls, loop.seconds, loop.redundant);
      for (const auto& [name, words, part] : kinds_of_overhead)
        row(one->ranks, chain, "overhead", name,
            part == &sched::Overheads::messages || part == &sched::Overheads::waits ? one->exchanges
                                                                                    : 1,
            one->overheads.*part, 0);
    }
    row(c.off.ranks, "any", "start", "partition", 1, c.start.partition, 0);
    row(c.off.ranks, "any", "start", "code", 1, c.start.code, 0);
    row(c.off.ranks, "any", "start", "plans", 1, c.start.plans, 0);
  }
  return text;
}

void warn(std::span<const core::RunRecord> records, const Costs& costs) {
  const core::RunRecord& record = records.front();
  for (const core::RunRecord& other : records)
    if (other.threads != record.threads) {
      fmt::print(stderr, "op2-model: costs of runs with {} and {} threads are mixed\n",
                 record.threads, other.threads);
      break;
    }
  if (const auto unknown = costs.unknown(record); !unknown.empty())
    fmt::print(stderr, "op2-model: no time was recorded of {}: they count as free\n",
               fmt::join(unknown, ", "));
  if (!costs.divided().empty())
    fmt::print(stderr,
               "op2-model: only fused loops had a time, which is divided by the bytes that they "
               "move: {}; add --costs of a run with OP2_DEBUG=no_fuse,no_tile\n",
               fmt::join(costs.divided(), ", "));
  if (record.events_left_out > 0)
    fmt::print(stderr, "op2-model: the last {} flushes of the run were not recorded\n",
               record.events_left_out);
}

/// Where costs change steeply with the size of a part.
void warn_of_cache(const core::RunRecord& record, int parts, const Costs& costs) {
  constexpr double steep = 2;
  const double bytes = mean_working_bytes(record, parts), factor = costs.steepness(bytes);
  if (factor < steep) return;
  fmt::print(
      stderr,
      "op2-model: each of {} parts has {:.1f} MB; between that and recorded sizes the time of a "
      "byte changes by a factor of {:.1f}, so its costs are a guess; add --costs of a run whose "
      "ranks have about as much\n",
      parts, bytes / 1e6, factor);
}

/// Where more ranks share a node than were measured together.
void warn_of_node(const Machine& machine, int parts) {
  const int per_node = machine.network.ranks_per_node;
  const int ranks = per_node == 0 ? parts : std::min(parts, per_node);
  if (machine.memory.empty() || std::cmp_less_equal(ranks, machine.memory.size())) return;
  fmt::print(stderr,
             "op2-model: {} ranks on a node are taken to have as much memory bandwidth each as the "
             "{} with which the machine was measured; {}\n",
             ranks, machine.memory.size(),
             per_node == 0
                 ? "all are on one node: give 'op2-model machine' the option --ranks-per-node"
                 : "measure it with as many");
}

}  // namespace

int predict(const PredictOptions& options) {
  core::Log log = core::tool_log("op2-model");
  const core::Progress reading(log, fmt::format("reading '{}'", options.run));
  std::vector<core::RunRecord> records{read_run(options.run)};
  for (const std::string& path : options.costs) records.push_back(read_run(path));
  const core::RunRecord& record = records.front();
  Machine machine = read_machine(options.files.back());
  for (double* const cost :
       {&machine.network.pack_row, &machine.network.pack_byte, &machine.network.unpack_byte})
    *cost *= options.scale;
  const Costs costs(records, machine, options.scale);
  warn(records, costs);
  const int busy = options.busy > 0 ? options.busy : record.ranks;
  std::vector<Comparison> all;
  for (std::size_t k = 0; k + 1 < options.files.size(); ++k) {
    const core::Progress walking(log, fmt::format("predicting by '{}'", options.files[k]));
    const Cut cut = read_cut(options.files[k], record);
    for (const Comparison& one : all)
      if (one.off.ranks == cut.parts)
        throw Failure(fmt::format("'{}' is a second cut into {} parts; give one", options.files[k],
                                  cut.parts));
    warn_of_cache(record, cut.parts, costs);
    const Program program(record, cut.local_maps, cut.deepest);
    Walk walk(program, cut, machine, costs, busy);
    all.push_back(compare(walk, walk.candidates()));
    all.back().start = start_up(record, cut, machine);
    all.back().causes = causes_of(walk, machine.network, all.back());
  }
  std::ranges::stable_sort(all, {}, [](const Comparison& one) { return one.off.ranks; });
  warn_of_node(machine, all.back().off.ranks);
  fmt::print("program '{}', machine: {}\n{}", record.program, machine.origin, summary_of(all));
  for (const Comparison& one : all) fmt::print("{}", details_of(record, one));
  if (!options.csv.empty()) write_file(options.csv, csv_of(record, all));
  return 0;
}

}  // namespace op2::model
