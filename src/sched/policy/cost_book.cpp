// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/cost_book.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>

#include <fmt/format.h>

#include <core/hash.hpp>

namespace op2::sched {
namespace {

/// Fewer iterations measure the clock more than the loop. They count as so many, or a rank with a
/// few elements would say what the hundreds of another one cost.
constexpr double least_iterations = 64;

constexpr int size_classes = 17;

int size_class_of(const core::LoopRecord& loop) {
  return std::bit_width(static_cast<unsigned>(loop.set->size)) / 2;
}

std::string with_class(const std::string& digest, int size_class) {
  return fmt::format("{}.{}", digest, size_class);
}

std::string digest_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args,
                      const CostContext& context) {
  core::Hasher hasher;
  hasher.field(fmt::format("{} {}", context.threads, context.reproducible));
  hasher.field(loop.kernel->name).field(loop.kernel->source);
  for (const core::LoopArg& arg : args)
    hasher.field(fmt::format("{} {} {} {} {} {} {}", static_cast<int>(arg.kind),
                             static_cast<int>(arg.access), arg.dim, static_cast<int>(arg.type),
                             arg.active, arg.column, arg.map == nullptr ? 0 : arg.map->dim));
  return core::to_hex(hasher.finish());
}

/// What is measured now instead of what was earlier, way by way. A few iterations, or those of the
/// first flush alone, are only better than nothing.
LoopCost merged(LoopCost cost, const LoopTimes& now) {
  for (std::size_t way = 0; way < core::ways; ++way) {
    const LoopTimes::Sum& sum = now.of(static_cast<Way>(way));
    const bool counts = now.is_warm(static_cast<Way>(way)) && sum.iterations >= least_iterations;
    cost.is_measured[way] = counts;
    if (sum.iterations > 0 && (counts || cost.seconds[way] < 0))
      cost.seconds[way] = sum.seconds / std::max(sum.iterations, least_iterations);
  }
  return cost;
}

}  // namespace

std::string identity_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args,
                        const CostContext& context) {
  return with_class(digest_of(loop, args, context), size_class_of(loop));
}

LoopTimes& CostBook::times_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args) {
  return measured_.try_emplace(identity_of(loop, args, context_), &flush_).first->second;
}

std::vector<LoopCost> CostBook::costs_of(const core::Queue& queue, Sessions sessions,
                                         std::span<const LoopCost> agreed) const {
  const auto records = queue.records();
  std::vector<LoopCost> costs(records.size());
  for (std::size_t k = 0; k < records.size(); ++k)
    if (!records[k].is_assignment())
      costs[k] = cost_of(records[k], queue.args_of(records[k]), sessions,
                         agreed.empty() ? LoopCost{} : agreed[k]);
  return costs;
}

LoopCost CostBook::cost_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args,
                           Sessions sessions, const LoopCost& agreed) const {
  const std::string digest = digest_of(loop, args, context_);
  const int size_class = size_class_of(loop);
  const std::string identity = with_class(digest, size_class);
  const auto now = measured_.find(identity);
  const bool has_run = now != measured_.end() && now->second.has_run();
  if (sessions == Sessions::all && !has_run && loop.set->size == 0) return {};
  if (sessions == Sessions::earlier || !has_run) return earlier_cost(digest, size_class);
  const auto same_size = known_.find(identity);
  LoopCost before = same_size == known_.end() ? LoopCost{} : same_size->second;
  for (std::size_t way = 0; way < core::ways; ++way)
    if (agreed.seconds[way] >= 0) before.seconds[way] = agreed.seconds[way];
  return merged(before, now->second);
}

/// For a set of the same size, otherwise of the most similar one: better than nothing.
LoopCost CostBook::earlier_cost(const std::string& digest, int size_class) const {
  for (int distance = 0; distance < size_classes; ++distance)
    for (const int other : {size_class - distance, size_class + distance})
      if (const auto found = known_.find(with_class(digest, other)); found != known_.end())
        return found->second;
  return {};
}

std::map<std::string, LoopCost> CostBook::all(std::size_t most) const {
  std::map<std::string, LoopCost> all;
  for (const auto& [identity, times] : measured_) {
    const auto earlier = known_.find(identity);
    const LoopCost cost = merged(earlier == known_.end() ? LoopCost{} : earlier->second, times);
    if (cost.is_known() && all.size() < most) all.emplace(identity, cost);
  }
  for (const auto& earlier : known_)
    if (all.size() < most) all.insert(earlier);
  return all;
}

void open_times(const core::Queue& queue, CostBook& book, Plan& plan) {
  for (std::size_t s = 0; s < plan.steps.all.size(); ++s) {
    for (const KernelUse& use : plan.steps.all[s].kernels) {
      const core::LoopRecord& loop = queue.records()[use.record];
      plan.rows[s].times.push_back(&book.times_of(loop, queue.args_of(loop)));
    }
  }
}

}  // namespace op2::sched
