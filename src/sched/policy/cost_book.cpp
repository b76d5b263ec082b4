// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/cost_book.hpp>

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include <core/hash.hpp>

namespace op2::sched {
namespace {

/// Fewer iterations measure the clock more than the loop.
constexpr double least_iterations = 64;

}  // namespace

std::string identity_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args) {
  core::Hasher hasher;
  hasher.field(loop.kernel->name).field(loop.kernel->source);
  for (const core::LoopArg& arg : args)
    hasher.field(fmt::format("{} {} {} {} {} {} {}", static_cast<int>(arg.kind),
                             static_cast<int>(arg.access), arg.dim, static_cast<int>(arg.type),
                             arg.active, arg.column, arg.map == nullptr ? 0 : arg.map->dim));
  return core::to_hex(hasher.finish());
}

LoopTimes& CostBook::times_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args) {
  return measured_[identity_of(loop, args)];
}

std::vector<LoopCost> CostBook::costs_of(const core::Queue& queue, Sessions sessions) const {
  std::vector<LoopCost> costs;
  for (const core::LoopRecord& record : queue.records())
    costs.push_back(record.is_assignment()
                        ? LoopCost{}
                        : cost_of(identity_of(record, queue.args_of(record)), sessions));
  return costs;
}

LoopCost CostBook::cost_of(const std::string& identity, Sessions sessions) const {
  const auto earlier = known_.find(identity);
  LoopCost cost = earlier == known_.end() ? LoopCost{} : earlier->second;
  const auto now = measured_.find(identity);
  if (sessions == Sessions::earlier || now == measured_.end()) return cost;
  for (std::size_t way = 0; way < core::ways; ++way)
    if (now->second.iterations[way] >= least_iterations)
      cost.seconds[way] = now->second.seconds[way] / now->second.iterations[way];
  return cost;
}

std::map<std::string, LoopCost> CostBook::all() const {
  std::map<std::string, LoopCost> all = known_;
  for (const auto& [identity, times] : measured_)
    if (const LoopCost cost = cost_of(identity, Sessions::all); cost.is_known())
      all[identity] = cost;
  return all;
}

void open_times(const core::Queue& queue, CostBook& book, Plan& plan) {
  for (std::size_t s = 0; s < plan.steps.all.size(); ++s)
    for (const KernelUse& use : plan.steps.all[s].kernels) {
      const core::LoopRecord& loop = queue.records()[use.record];
      plan.rows[s].times.push_back(&book.times_of(loop, queue.args_of(loop)));
    }
}

}  // namespace op2::sched
