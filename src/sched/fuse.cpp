// SPDX-License-Identifier: BSD-3-Clause
#include <sched/fuse.hpp>

#include <algorithm>

#include <jit/target/cpu/simd_choice.hpp>
#include <jit/target/cuda/gather.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <sched/conflicts.hpp>
#include <sched/interiors.hpp>
#include <sched/merge_args.hpp>
#include <sched/order.hpp>
#include <sched/shapes.hpp>
#include <sched/step_globals.hpp>
#include <sched/zero_rows.hpp>

namespace op2::sched {
namespace {

using Records = std::vector<std::size_t>;

/// More arguments than this are far too many for the registers; more loops do not fit into the
/// instruction cache.
constexpr std::size_t most_args = 24, most_loops = 32;

/// Every gathered loop makes the kernel longer, and keeps more registers alive.
constexpr std::size_t most_gathered = 4;

/// Whether two loops link iterations by a dat or a global, other than iteration n with n.
bool conflict(std::span<const core::LoopArg> a, std::span<const core::LoopArg> b) {
  for (const core::LoopArg& first : a)
    for (const core::LoopArg& second : b) {
      const bool is_used = first.active && second.active && (first.modifies() || second.modifies());
      if (!is_used || first.kind != second.kind) continue;
      if (first.kind == OP_ARG_GBL && first.global != nullptr && first.global == second.global)
        return true;
      if (first.kind == OP_ARG_DAT && first.dat == second.dat &&
          (first.is_indirect() || second.is_indirect()))
        return true;
    }
  return false;
}

/// Whether fusing saves anything: a dat that both access directly.
bool share_rows(std::span<const core::LoopArg> a, std::span<const core::LoopArg> b) {
  return std::ranges::any_of(a, [&](const core::LoopArg& first) {
    return first.is_active_dat() && !first.is_indirect() &&
           std::ranges::any_of(b, [&](const core::LoopArg& second) {
             return second.is_active_dat() && !second.is_indirect() && second.dat == first.dat;
           });
  });
}

/// The set whose rows a loop adds to; null if there are several, or none.
const op_set_core* target_of(std::span<const core::LoopArg> args) {
  const op_set_core* target = nullptr;
  for (const core::LoopArg& arg : args) {
    if (!arg.modifies_dat()) continue;
    if (target != nullptr && target != arg.dat->set) return nullptr;
    target = arg.dat->set;
  }
  return target;
}

/// Whether one of two loops modifies a global that the other uses.
bool share_global(std::span<const core::LoopArg> a, std::span<const core::LoopArg> b) {
  return std::ranges::any_of(a, [&](const core::LoopArg& first) {
    return first.active && first.global != nullptr &&
           std::ranges::any_of(b, [&](const core::LoopArg& second) {
             return second.active && second.global == first.global &&
                    (first.modifies() || second.modifies());
           });
  });
}

/// Whether a loop directly accesses what another adds to.
bool uses_sum(std::span<const core::LoopArg> adds, std::span<const core::LoopArg> args) {
  return std::ranges::any_of(adds, [&](const core::LoopArg& sum) {
    return sum.modifies_dat() && std::ranges::any_of(args, [&](const core::LoopArg& arg) {
             return arg.is_active_dat() && !arg.is_indirect() && arg.dat == sum.dat;
           });
  });
}

/// Finds the groups of one chain.
class Grouping {
 public:
  Grouping(const core::Queue& queue, const std::vector<LoopLevels>& levels,
           const std::vector<Order>& order, const FusionRules& rules)
      : queue_(queue), levels_(levels), order_(order), rules_(rules) {}

  std::vector<LoopGroup> of(const Chain& chain) const {
    std::vector<LoopGroup> groups;
    bool can_grow = false;
    for (std::size_t k = chain.records.begin; k < chain.records.end; ++k) {
      if (!runs(k)) {
        can_grow = false;
        continue;
      }
      if (LoopGroup gathering = gathering_from(k, chain); !gathering.records.empty()) {
        k = gathering.records.back();
        groups.push_back(std::move(gathering));
        can_grow = false;
        continue;
      }
      const bool part = can_be_part(k);
      if (can_grow && part && can_join(groups.back().records, k))
        groups.back().records.push_back(k);
      else
        groups.push_back({{k}});
      can_grow = part;
    }
    return groups;
  }

 private:
  const core::LoopRecord& loop(std::size_t k) const { return queue_.records()[k]; }
  std::span<const core::LoopArg> args(std::size_t k) const { return queue_.args_of(loop(k)); }

  bool allows_vectors_in(std::size_t k) const {
    std::vector<core::LoopArg> marked(args(k).begin(), args(k).end());
    mark_payloads(marked, order_[k]);
    return allows_vectors(marked);
  }

  bool runs(std::size_t k) const {
    return !loop(k).is_assignment() && levels_[k].extent != core::no_level;
  }

  bool can_be_part(std::size_t k) const {
    return rules_.on && order_[k] == Order::any && loop(k).colouring == nullptr &&
           rules_.is_compiled(loop(k));
  }

  bool can_join(const Records& group, std::size_t next) const {
    if (!gains_by_fusion(queue_, levels_, group, next)) return false;
    if (allows_vectors_in(next) != allows_vectors_in(group.front())) return false;
    Records all = group;
    all.push_back(next);
    return all.size() <= most_loops && merge_args(queue_, all).args.size() <= most_args &&
           !rules_.stays_apart(all);
  }

  /// Loops from `first` on that are gathered, and those that gather; empty if there are none.
  LoopGroup gathering_from(std::size_t first, const Chain& chain) const {
    LoopGroup group;
    std::size_t k = first;
    bool pays = false;  // a loop would gather by itself
    for (; k < chain.records.end && group.gathered < most_gathered; ++k) {
      const jit::Gathering gathering = gathering_of(k);
      if (gathering == jit::Gathering::never || target_of(args(k)) != target_of(args(first)) ||
          levels_[k].extent != levels_[first].extent)
        break;
      pays = pays || gathering == jit::Gathering::by_itself;
      group.records.push_back(k);
      ++group.gathered;
    }
    if (!pays) return {};
    while (k < chain.records.end && !runs(k)) ++k;
    while (k < chain.records.end && can_gather(group, k)) group.records.push_back(k++);
    return group.records.size() > group.gathered ? group : LoopGroup{};
  }

  jit::Gathering gathering_of(std::size_t k) const {
    const bool may = rules_.gathering && runs(k) && can_be_part(k);
    return may ? rules_.gathering(args(k)) : jit::Gathering::never;
  }

  /// Whether the elements on which a loop `adds` are just those that complete the rows on which
  /// another one runs. On several ranks phases do not matter: each row gathers by itself.
  bool completes(std::size_t adds, std::size_t next) const {
    const core::Level rows = levels_[next].extent, elements = levels_[adds].extent;
    if (loop(next).set->is_single_rank) return levels_[adds] == levels_[next];
    return elements == core::need_exec(rows) && core::cov(elements) == rows;
  }

  /// Whether a loop may come behind those of a group in which increments are gathered.
  bool can_gather(const LoopGroup& group, std::size_t next) const {
    if (!runs(next) || !can_be_part(next) || !completes(group.records.front(), next) ||
        loop(next).set != target_of(args(group.records.front())) || has_payload(args(next)))
      return false;
    bool shares = false;
    for (std::size_t k = 0; k < group.records.size(); ++k) {
      const auto earlier = args(group.records[k]);
      if (k < group.gathered ? share_global(earlier, args(next)) : conflict(earlier, args(next)))
        return false;
      shares = shares || (k < group.gathered ? uses_sum(earlier, args(next))
                                             : share_rows(earlier, args(next)));
    }
    Records all = group.records;
    all.push_back(next);
    if (!shares || rules_.stays_apart(all)) return false;
    std::vector<std::int32_t> ends;
    const MergedArgs merged = merge_gathered(queue_, all, group.gathered, ends);
    return merged.args.size() - static_cast<std::size_t>(ends.back()) <= most_args &&
           jit::can_gather(arg_shapes(merged.args), ends);
  }

  const core::Queue& queue_;
  const std::vector<LoopLevels>& levels_;
  const std::vector<Order>& order_;
  const FusionRules& rules_;
};

Step step_without_loop(const core::Queue& queue, const Chain& chain, std::size_t record,
                       bool reproducible) {
  Step step;
  const bool is_assignment = queue.records()[record].is_assignment();
  step.kind = is_assignment ? Step::Kind::assignment : Step::Kind::dead;
  step.record = record;
  if (reproducible && !is_assignment) add_globals_of_dead(queue, chain, step);
  return step;
}

/// The step of a group of fused loops, without levels.
Step fused_step(const core::Queue& queue, const LoopGroup& group) {
  Step step;
  MergedArgs merged = merge_gathered(queue, group.records, group.gathered, step.gathered);
  step.record = group.records.front();
  step.set = queue.records()[group.records[group.gathered]].set;
  step.kernels = std::move(merged.kernels);
  step.args = std::move(merged.args);
  step.sources = std::move(merged.sources);
  mark_payloads(step.args, step.order);
  return step;
}

/// Whether a device can run all loops: the host would look for rows where they were at first.
bool runs_on_device(const core::Queue& queue, const Analysis& analysis,
                    const std::vector<Order>& order, const FusionRules& rules) {
  for (std::size_t k = 0; k < queue.size(); ++k) {
    const core::LoopRecord& loop = queue.records()[k];
    if (loop.is_assignment() || analysis.loops[k].extent == core::no_level) continue;
    std::vector<core::LoopArg> args(queue.args_of(loop).begin(), queue.args_of(loop).end());
    mark_payloads(args, order[k]);
    if (order[k] != Order::any || loop.colouring != nullptr || !rules.is_compiled(loop) ||
        !jit::runs_on_device(arg_shapes(args)))
      return false;
  }
  return true;
}

Step leveled_step(const core::Queue& queue, const Chain& chain, const LoopGroup& group,
                  const Analysis& analysis, const std::vector<Order>& order,
                  const FusionRules& rules) {
  Step step = fused_step(queue, group);
  step.order = order[step.record];
  step.colouring = queue.records()[step.record].colouring;
  step.colour = queue.records()[step.record].colour;
  mark_payloads(step.args, step.order);
  step.levels = analysis.loops[group.place()];
  if (step.gathers()) step.gathered_extent = analysis.loops[step.record].extent;
  if (step.levels.slice >= 0)
    step.slice = &analysis.slices[static_cast<std::size_t>(step.levels.slice)];
  add_globals(queue, chain, rules.reproducible, step);
  return step;
}

/// Loops that gather wait for other messages than they would by themselves.
void set_interiors(const core::Queue& queue, const Chain& chain, const Analysis& analysis,
                   const std::vector<LoopGroup>& groups, std::span<Step> steps) {
  if (chain.exchanged.empty() || std::ranges::none_of(steps, &Step::gathers)) return;
  const std::vector<core::Level> found = interiors_of(queue, chain, analysis.loops, groups);
  auto interior = found.begin();
  for (Step& step : steps)
    if (step.runs()) step.levels.interior = *interior++;
}

}  // namespace

bool gains_by_fusion(const core::Queue& queue, const std::vector<LoopLevels>& levels,
                     std::span<const std::size_t> group, std::size_t next) {
  const auto loop = [&](std::size_t k) -> const core::LoopRecord& { return queue.records()[k]; };
  const auto args = [&](std::size_t k) { return queue.args_of(loop(k)); };
  const std::size_t first = group.front();
  if (loop(first).set != loop(next).set || levels[first] != levels[next]) return false;
  if (loop(first).colouring != nullptr || loop(next).colouring != nullptr) return false;
  const auto links = [&](std::size_t k) { return conflict(args(k), args(next)); };
  const auto shares = [&](std::size_t k) { return share_rows(args(k), args(next)); };
  return std::ranges::none_of(group, links) && std::ranges::any_of(group, shares);
}

bool allows_vectors(std::span<const core::LoopArg> args) {
  constexpr int vector_bytes = 16;
  return jit::simd_choice(arg_shapes(args), vector_bytes).vectorised();
}

Step step_of(const core::Queue& queue, std::size_t record) {
  return fused_step(queue, {{record}});
}

std::vector<LoopGroup> fusion_groups(const core::Queue& queue, const Chain& chain,
                                     const std::vector<LoopLevels>& levels,
                                     const std::vector<Order>& order, const FusionRules& rules) {
  return Grouping(queue, levels, order, rules).of(chain);
}

Steps make_steps(const core::Queue& queue, const Analysis& analysis,
                 const std::vector<Order>& order, const FusionRules& given) {
  FusionRules rules = given;
  if (!runs_on_device(queue, analysis, order, given)) rules.gathering = nullptr;
  Steps steps;
  for (const Chain& chain : analysis.chains) {
    steps.begin.push_back(steps.all.size());
    const std::vector<LoopGroup> groups = fusion_groups(queue, chain, analysis.loops, order, rules);
    auto next = groups.begin();
    for (std::size_t k = chain.records.begin; k < chain.records.end; ++k) {
      if (queue.records()[k].is_assignment() || analysis.loops[k].extent == core::no_level)
        steps.all.push_back(step_without_loop(queue, chain, k, rules.reproducible));
      else if (next != groups.end() && next->place() == k)
        steps.all.push_back(leveled_step(queue, chain, *next++, analysis, order, rules));
    }
    set_interiors(queue, chain, analysis, groups, std::span(steps.all).subspan(steps.begin.back()));
  }
  steps.begin.push_back(steps.all.size());
  if (rules.gathering && rules.leaves_zero) leave_out_zeros(steps, rules.leaves_zero);
  return steps;
}

}  // namespace op2::sched
