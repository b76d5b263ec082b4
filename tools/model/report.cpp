// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <core/text.hpp>

namespace op2::model {
namespace {

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
std::string causes_of(const Comparison& c) {
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

}  // namespace

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
  const auto line = [&](const char* what, double sched::Overheads::* part) {
    text += fmt::format("  {:<38} {:>9} {:>12.6f} {:>12.6f}\n", what, "", c.off.overheads.*part,
                        c.on.overheads.*part);
  };
  line("program and queue", &sched::Overheads::host);
  line("packing and messages", &sched::Overheads::messages);
  line("waits", &sched::Overheads::waits);
  line("reductions", &sched::Overheads::reductions);
  text += causes_of(c);
  return text + fmt::format("  start: partition {:.3g} s, code {:.3g} s, plans {:.3g} s\n",
                            c.start.partition, c.start.code, c.start.plans);
}

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
      row(one->ranks, chain, "overhead", "host", 1, one->overheads.host, 0);
      row(one->ranks, chain, "overhead", "messages", one->exchanges, one->overheads.messages, 0);
      row(one->ranks, chain, "overhead", "waits", one->exchanges, one->overheads.waits, 0);
      row(one->ranks, chain, "overhead", "reductions", 1, one->overheads.reductions, 0);
    }
    row(c.off.ranks, "any", "start", "partition", 1, c.start.partition, 0);
    row(c.off.ranks, "any", "start", "code", 1, c.start.code, 0);
    row(c.off.ranks, "any", "start", "plans", 1, c.start.plans, 0);
  }
  return text;
}

}  // namespace op2::model
