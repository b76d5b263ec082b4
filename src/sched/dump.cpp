// SPDX-License-Identifier: BSD-3-Clause
#include <sched/dump.hpp>

#include <fmt/format.h>

namespace op2::sched {
namespace {

std::string text_of(core::Level level) {
  return level == core::no_level ? "-" : fmt::format("{}", level);
}

std::string describe_parts(const char* when, const std::vector<LoopPart>& parts) {
  std::string text;
  for (const LoopPart& part : parts) {
    const ThreadPlanStatistics use = statistics_of(*part.shares);
    text +=
        fmt::format("; {}: {} threads, {} phases, {:.1f} % in the first, imbalance {:.2f}", when,
                    part.threads, part.shares->phases.size(), 100 * use.first_phase, use.imbalance);
  }
  return text;
}

std::string describe_tiles(const char* when, const std::vector<TiledLoops>& all) {
  std::string text;
  for (const TiledLoops& tiled : all) {
    const TileStatistics use = statistics_of(tiled.plan);
    text += fmt::format(
        "  {} loops in tiles ({}): {} tiles, {} phases, {:.1f} % in the first, {:.0f} iterations "
        "per "
        "loop and tile, {:.0f} per run\n",
        tiled.records.size(), when, use.tiles, tiled.plan.phases.size(), 100 * use.first_phase,
        use.per_item, use.per_run);
  }
  return text;
}

std::string describe_step(const core::LoopRecord& record, const LoopStep& step) {
  switch (step.kind) {
    case LoopStep::Kind::assignment:
      return fmt::format("  set  {}\n", record.target->name);
    case LoopStep::Kind::dead:
      return fmt::format("  skip {}: overwritten before use\n", record.name);
    case LoopStep::Kind::fused:
      return "";
    case LoopStep::Kind::loop:
      break;
  }
  return fmt::format("  run  {:<20} {}, {} + {} elements{}{}\n", step.row->name, step.row->code,
                     step.early_iterations, step.late_iterations,
                     describe_parts("core", step.early), describe_parts("rest", step.late));
}

}  // namespace

std::string describe_levels(const core::Queue& queue, RecordRange range,
                            const ChainDescription& chain, const core::ChainLevels& levels) {
  std::string text = fmt::format("chain of {} loops, rows up to level {}\n", chain.loops.size(),
                                 text_of(levels.rows));
  std::size_t loop = 0;
  for (const core::LoopRecord& r : queue.records().subspan(range.begin, range.end - range.begin)) {
    if (r.is_assignment()) {
      text += fmt::format("  set  {}\n", r.target->name);
      continue;
    }
    text += fmt::format("  loop {:<20} on {:<12} extent {:>3}  core {:>3}{}\n", r.name, r.set->name,
                        text_of(levels.extent[loop]), text_of(levels.core[loop]),
                        levels.extent[loop] == core::no_level ? "  dead" : "");
    ++loop;
  }
  for (std::size_t k = 0; k < chain.dats.size(); ++k)
    text += fmt::format("  dat  {:<20} need {:>3}  valid after {:>3}\n", chain.dats[k]->name,
                        text_of(levels.need[k]), text_of(levels.valid[k]));
  return text;
}

std::string describe_schedule(const core::Queue& queue, const Plan& plan) {
  std::string text =
      fmt::format("schedule of {} steps in {} chains\n", plan.steps.size(), plan.chains.size());
  for (const ChainPlan& chain : plan.chains) {
    if (chain.exchange != nullptr)
      text += fmt::format("  exchange of {} layers: {} messages, {} bytes\n", chain.layers,
                          chain.exchange->messages(), chain.exchange->bytes());
    text += describe_tiles("core", chain.early) + describe_tiles("rest", chain.late);
    for (std::size_t k = chain.begin; k < chain.end; ++k)
      text += describe_step(queue.records()[k], plan.steps[k]);
  }
  return text;
}

}  // namespace op2::sched
