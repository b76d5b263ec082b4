// SPDX-License-Identifier: BSD-3-Clause
#include <sched/loop_statistics.hpp>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <jit/cache_entry.hpp>
#include <jit/jit.hpp>
#include <sched/loop_requests.hpp>

namespace op2::sched {
namespace {

/// "a+b+c", or "a+b+c+... (16 loops)".
std::string joined_name(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, "+"));
  return fmt::format("{}+... ({} loops)", fmt::join(names.begin(), names.begin() + most, "+"),
                     names.size());
}

/// Its key, by which op2-jitinspect shows it, and what arithmetic it executes.
void note_code(const jit::CompiledLoop& code, StepRows& rows) {
  rows.flops = code.flops;
  std::vector<std::string>& keys = rows.row->keys;
  std::string key = jit::name_of(code.key);
  if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
}

}  // namespace

void LoopStatistics::register_steps(const core::Queue& queue,
                                    const std::vector<std::string>& descriptions, Plan& plan) {
  for (std::size_t s = 0; s < plan.steps.all.size(); ++s) {
    const Step& step = plan.steps.all[s];
    StepRows& rows = plan.rows.emplace_back();
    if (step.kind == Step::Kind::assignment) continue;
    std::vector<std::string> names;
    for (const KernelUse& use : step.kernels) {
      check_name(queue.records()[use.record]);
      names.emplace_back(queue.records()[use.record].name);
    }
    if (names.empty()) names.emplace_back(queue.records()[step.record].name);
    rows.row = &table_.row(joined_name(names));
    if (plan.code[s].compiled != nullptr) note_code(*plan.code[s].compiled, rows);
    if (!step.runs() || !step.begins_call()) continue;  // which counts all rows
    rows.useful_bytes = step.useful_bytes();
    rows.interior = step.iterations(Phase::interior);
    rows.boundary = step.iterations(Phase::boundary);
    rows.redundant = step.redundant_iterations();
    rows.row->code = descriptions[s];
    if (!step.fused()) continue;
    rows.row->loops = names;
    for (const std::string& name : names) {
      rows.members.push_back(&table_.row(name));
      rows.fused_calls.push_back(&rows.members.back()->fused_in[rows.row->name]);
      if (rows.members.back()->code.empty()) rows.members.back()->code = rows.row->code;
    }
  }
}

void count_iterations(const StepRows& rows, Phase phase, Way way) {
  if (rows.row == nullptr) return;
  const bool in_interior = phase == Phase::interior;
  const std::int64_t count = in_interior ? rows.interior : rows.boundary;
  const std::int64_t late = std::min(rows.redundant, rows.boundary);  // the last rows are not owned
  const std::int64_t redundant = in_interior ? rows.redundant - late : late;
  const auto add = [&](core::LoopRow& row) {
    row.elements += count;
    if (in_interior) row.interior += count;
    if (redundant != 0) row.redundant += redundant;
    if (way == Way::tiled) row.tiled += count;
  };
  add(*rows.row);
  if (rows.flops >= 0)
    rows.row->flops += rows.flops * static_cast<double>(count);
  else
    rows.row->uncounted += count;
  for (core::LoopRow* row : rows.members) add(*row);
}

void add_time(const StepRows& rows, Phase phase, Way way, double seconds,
              const core::Listeners& listeners) {
  const std::int64_t iterations = phase == Phase::interior ? rows.interior : rows.boundary;
  rows.spend(seconds);
  for (const auto& listener : listeners) listener->step_timed(*rows.row, way, iterations, seconds);
  const auto count = static_cast<double>(iterations);
  for (LoopTimes* times : rows.times)
    times->add(way, count, seconds / static_cast<double>(rows.times.size()));
}

/// Warns if loops of one name run different kernels.
void LoopStatistics::check_name(const core::LoopRecord& loop) {
  const auto [known, fresh] = kernels_.try_emplace(loop.name, loop.kernel);
  if (!fresh && std::string_view(known->second->source) != loop.kernel->source)
    log_.warning_once(
        fmt::format("name {}", loop.name),
        fmt::format("loops named '{}' run different kernels (here {}); the per-loop table adds "
                    "them up",
                    loop.name, site_of(loop)));
}

}  // namespace op2::sched
