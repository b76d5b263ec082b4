// SPDX-License-Identifier: BSD-3-Clause
#include <sched/describe.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/text.hpp>
#include <jit/target/cpu/cpu_target.hpp>
#include <sched/loop_requests.hpp>

namespace op2::sched {
namespace {

std::string text_of(core::Level level) {
  return level == core::no_level ? "-" : fmt::format("{}", level);
}

const char* text_of(Order order) {
  if (order == Order::by_rows) return "in an order of its rows and threads";
  return order == Order::any ? "in any order" : "in the order of its elements";
}

std::string describe_parts(const char* phase, const std::vector<LoopPart>& parts) {
  std::string text;
  for (const LoopPart& part : parts) {
    const ThreadPlanStatistics use = statistics_of(*part.plan);
    text +=
        fmt::format("; {}: {} threads, {} stages, {:.1f} % in the first, imbalance {:.2f}", phase,
                    part.threads, part.plan->stages.size(), 100 * use.first_stage, use.imbalance);
  }
  return text;
}

std::string describe_record(const core::LoopRecord& record, const LoopLevels& levels) {
  if (record.is_assignment()) return fmt::format("  set  {}\n", record.target->name);
  return fmt::format("  loop {:<20} on {:<12} extent {:>3}  interior {:>3}{}{}{}\n", record.name,
                     record.set->name, text_of(levels.extent), text_of(levels.interior),
                     record.set->layout->local_map ? "  local map" : "",
                     levels.slice >= 0 ? "  sliced" : "",
                     levels.extent == core::no_level ? "  dead" : "");
}

std::vector<std::string> names_of(const core::Queue& queue, const Step& step) {
  std::vector<std::string> names;
  for (const KernelUse& use : step.kernels) names.emplace_back(queue.records()[use.record].name);
  return names;
}

}  // namespace

std::string describe(const core::Queue& queue, const std::vector<RecordRange>& cut) {
  std::string text = fmt::format("{} records in {} chains\n", queue.size(), cut.size());
  for (const RecordRange& chain : cut)
    text += fmt::format("  records {} to {}\n", chain.begin, chain.end - 1);
  return text;
}

std::string describe(const core::Queue& queue, const Analysis& analysis) {
  std::string text;
  for (const Chain& chain : analysis.chains) {
    const auto [begin, end] = chain.records;
    text += fmt::format("chain of {} records, rows up to level {}\n", end - begin,
                        text_of(analysis.rows));
    for (const comm::DatLayers& dat : chain.exchanged)
      text += fmt::format("  dat  {:<20} {}levels {} to {} are exchanged\n", dat.dat->name,
                          dat.lists == nullptr ? "" : "some rows of ", dat.from + 1, dat.to);
    for (std::size_t k = begin; k < end; ++k)
      text += describe_record(queue.records()[k], analysis.loops[k]);
  }
  return text;
}

std::string describe(const core::Queue& queue, const std::vector<Order>& order) {
  std::string text;
  for (std::size_t k = 0; k < order.size(); ++k)
    if (!queue.records()[k].is_assignment())
      text += fmt::format("  loop {:<20} {}{}\n", queue.records()[k].name, text_of(order[k]),
                          queue.records()[k].colouring == nullptr
                              ? ""
                              : fmt::format(", colour {} of {}", queue.records()[k].colour + 1,
                                            queue.records()[k].colouring->count));
  return text;
}

std::string describe(const core::Queue& queue, const Steps& steps) {
  std::string text = fmt::format("{} records in {} steps\n", queue.size(), steps.all.size());
  for (const Step& step : steps.all)
    if (step.fused())
      text += fmt::format("  fused {}: {} arguments\n", fmt::join(names_of(queue, step), "+"),
                          step.args.size());
  return text;
}

std::string describe_exchange(const Chain& chain, std::int64_t messages, std::int64_t bytes) {
  return fmt::format("  exchange of {} layers: {} messages, {} bytes\n", chain.layers, messages,
                     bytes);
}

std::string describe_tiles(const char* phase, const TiledSteps& tiled) {
  const TileStatistics use = statistics_of(tiled.plan);
  return fmt::format(
      "  {} steps in tiles ({}): {} tiles, {} stages, {:.1f} % in the first, {:.0f} iterations per "
      "step and tile, {:.0f} per run\n",
      tiled.steps.size(), phase, use.tiles, tiled.plan.stages.size(), 100 * use.first_stage,
      use.per_item, use.per_run);
}

std::string describe_calls(const core::Queue& queue, std::span<const Step> steps) {
  const auto is_loop = [](const Step& step) { return step.kind != Step::Kind::assignment; };
  const auto first = std::ranges::find_if(steps, is_loop);
  if (first == steps.end()) return "no loop";
  // Of a call in colours all steps but the first continue it.
  const auto others = std::count_if(first + 1, steps.end(), [&](const Step& step) {
    return is_loop(step) && step.begins_call();
  });
  return named_with_site(queue.records()[first->record]) +
         (others > 0 ? " and " + core::counted(others, "other") : "");
}

std::string describe_step(const core::Queue& queue, const Plan& plan, std::size_t s) {
  const Step& step = plan.steps.all[s];
  const core::LoopRecord& record = queue.records()[step.record];
  if (step.kind == Step::Kind::assignment) return fmt::format("  set  {}", record.target->name);
  if (step.kind == Step::Kind::dead)
    return fmt::format("  skip {}: overwritten before use", record.name);
  const core::LoopRow& row = *plan.rows[s].row;
  return fmt::format("  run  {:<20} {}, {} + {} elements", row.name, row.code,
                     step.iterations(Phase::interior), step.iterations(Phase::boundary));
}

std::string describe_parts(const StepParts& parts) {
  return describe_parts("interior", parts.interior) + describe_parts("boundary", parts.boundary);
}

std::string describe_code(const jit::CompiledLoop& code) {
  if (code.target != jit::cpu_target_name) return code.target;
  return code.simd.vectorised() ? "jit, " + jit::description_of(code.simd) : "jit";
}

}  // namespace op2::sched
