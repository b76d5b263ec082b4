// SPDX-License-Identifier: BSD-3-Clause
#include <sched/analysis/fuse.hpp>

#include <algorithm>
#include <span>
#include <utility>

#include <core/arithmetic.hpp>
#include <core/exact_sum.hpp>
#include <core/value_type.hpp>
#include <sched/analysis/analyse.hpp>
#include <sched/analysis/order.hpp>
#include <sched/loop_requests.hpp>

namespace op2::sched {
namespace {

/// Whether two arguments may be merged: the kernels then get the same row.
bool access_alike(const core::LoopArg& a, const core::LoopArg& b) {
  const bool same = a.active && b.active && a.kind == b.kind && a.kind != OP_ARG_GBL &&
                    a.dat == b.dat && a.map == b.map && a.column == b.column;
  return same && (!a.is_indirect() || (a.access == OP_READ && b.access == OP_READ));
}

/// Access of an argument that one kernel uses after the other.
op_access joined(op_access first, op_access second) {
  return first == second || first == OP_WRITE ? first : OP_RW;
}

/// @param begin   of the arguments that may be merged
/// @param before  arguments of the loops before this one
/// @return position in the step
std::size_t add(const core::LoopArg& arg, const ArgSource& source, std::size_t begin,
                std::size_t before, Step& step) {
  const auto known =
      std::find_if(step.args.begin() + static_cast<std::ptrdiff_t>(begin), step.args.end(),
                   [&](const core::LoopArg& other) { return access_alike(other, arg); });
  const std::size_t position = known - step.args.begin();
  const bool is_of_same_loop = position >= before;
  if (known == step.args.end()) {
    step.args.push_back(arg);
    step.sources.push_back(source);
  } else if (is_of_same_loop) {
    known->access = known->access == arg.access ? arg.access : OP_RW;
  } else {
    known->access = joined(known->access, arg.access);
  }
  return position;
}

/// Payloads refer to the merged position of their extreme.
/// @param before  arguments of the loops before this one
void refer_to_extremes(const KernelUse& kernel, std::size_t before, Step& step) {
  for (std::size_t k = before; k < step.args.size(); ++k)
    if (int& extreme = step.args[k].info_of; extreme >= 0) extreme = kernel.args[extreme].position;
}

}  // namespace

Step merged_step(const core::Queue& queue, std::span<const std::size_t> records,
                 std::size_t gathered) {
  Step step;
  if (gathered > 0) step.gather.emplace();
  step.record = records.front();
  step.set = queue.records()[records[gathered]].set;
  std::size_t begin = 0;  // of the arguments of loops that are not gathered
  for (std::size_t n = 0; n < records.size(); ++n) {
    const core::LoopRecord& loop = queue.records()[records[n]];
    const std::span args = queue.args_of(loop);
    const std::size_t before = step.args.size();
    const bool is_alone = n < gathered || records.size() == gathered + 1;
    if (n <= gathered) begin = before;
    KernelUse& kernel = step.kernels.emplace_back(KernelUse{loop.kernel, records[n], loop.set, {}});
    for (std::size_t k = 0; k < args.size(); ++k) {
      // The arguments of a loop that is alone stay as they were declared.
      const std::size_t from = is_alone ? step.args.size() : begin;
      const std::size_t position = add(args[k], {records[n], k}, from, before, step);
      kernel.args.push_back(
          {static_cast<std::int32_t>(position), args[k].declared, args[k].members});
    }
    refer_to_extremes(kernel, before, step);
    if (n < gathered) step.gather->arg_ends.push_back(static_cast<std::int32_t>(step.args.size()));
  }
  return step;
}

Step step_of(const core::Queue& queue, std::size_t record) {
  Step step = merged_step(queue, {&record, 1});
  mark_payloads(step.args, step.order);
  return step;
}

namespace {

/// The last assignment to `global` in [begin, end) of the queue, or -1.
std::ptrdiff_t assignment_before(const core::Queue& queue, std::size_t begin, std::size_t end,
                                 const core::Global* global) {
  for (std::size_t k = end; k > begin; --k)
    if (global != nullptr && queue.records()[k - 1].target == global)
      return static_cast<std::ptrdiff_t>(k - 1);
  return -1;
}

/// Bytes of a thread's partial result, so that the next one begins in another cache line.
std::size_t partial_bytes(const GlobalArg& reduction) {
  if (reduction.exact) return core::term_block_bytes(reduction.shape.type, reduction.shape.dim);
  return core::round_up(reduction.element + sizeof(std::int64_t), std::size_t{64});
}

/// Finds the globals of a step of loops and gives the reductions their offsets in a thread's block.
void add_globals(const core::Queue& queue, const Chain& chain, bool reproducible, Step& step) {
  for (std::size_t k = 0; k < step.args.size(); ++k) {
    const core::LoopArg& arg = step.args[k];
    if (!arg.active || arg.kind != OP_ARG_GBL) continue;
    const GlobalArg global{
        .arg = k,
        .shape = arg,
        .source = step.sources[k],
        .assignment =
            assignment_before(queue, chain.records.begin, step.sources[k].record, arg.global),
        .offset = step.block_bytes,
        .element = core::round_up(core::size_of(arg.type, arg.dim), sizeof(std::int64_t)),
        .exact = reproducible && arg.access == OP_INC && core::is_rounded(arg.type),
        .nan = reproducible ? comm::Nan::wins : comm::Nan::loses};
    (arg.modifies() ? step.reductions : step.reads).push_back(global);
    if (arg.modifies()) step.block_bytes += partial_bytes(global);
  }
}

/// The lazy globals that a dead loop reads. In the reproducible mode a sum is rounded where a loop
/// reads it, also if that loop is dead, which depends on what comes later in the queue.
void add_globals_of_dead(const core::Queue& queue, const Chain& chain, Step& step) {
  const std::span<const core::LoopArg> args = queue.args_of(queue.records()[step.record]);
  for (std::size_t k = 0; k < args.size(); ++k)
    if (args[k].active && args[k].global != nullptr)
      step.reads.push_back({.arg = k,
                            .shape = args[k],
                            .source = {step.record, k},
                            .assignment = assignment_before(queue, chain.records.begin, step.record,
                                                            args[k].global)});
}

using Records = std::vector<std::size_t>;

/// More arguments than this are far too many for the registers; more loops do not fit into the
/// instruction cache.
constexpr std::size_t most_args = 24, most_loops = 32;

/// Every gathered loop makes the kernel longer, and keeps more registers alive.
constexpr std::size_t most_gathered = 4;

template <class Holds>
bool any_pair(std::span<const core::LoopArg> a, std::span<const core::LoopArg> b,
              const Holds& holds) {
  return std::ranges::any_of(a, [&](const core::LoopArg& first) {
    return first.active && std::ranges::any_of(b, [&](const core::LoopArg& second) {
             return second.active && holds(first, second);
           });
  });
}

bool is_direct_dat(const core::LoopArg& arg) {
  return arg.is_active_dat() && !arg.is_indirect();
}

/// Whether one of two loops modifies a global that the other uses.
bool share_global(std::span<const core::LoopArg> a, std::span<const core::LoopArg> b) {
  return any_pair(a, b, [](const core::LoopArg& first, const core::LoopArg& second) {
    return first.global != nullptr && first.global == second.global &&
           (first.modifies() || second.modifies());
  });
}

/// Whether two loops link iterations by a dat or a global, other than iteration n with n.
bool conflict(std::span<const core::LoopArg> a, std::span<const core::LoopArg> b) {
  return share_global(a, b) ||
         any_pair(a, b, [](const core::LoopArg& first, const core::LoopArg& second) {
           return first.is_active_dat() && second.is_active_dat() && first.dat == second.dat &&
                  (first.modifies() || second.modifies()) &&
                  (first.is_indirect() || second.is_indirect());
         });
}

/// Whether fusing saves anything: a dat that both access directly.
bool share_rows(std::span<const core::LoopArg> a, std::span<const core::LoopArg> b) {
  return any_pair(a, b, [](const core::LoopArg& first, const core::LoopArg& second) {
    return is_direct_dat(first) && is_direct_dat(second) && first.dat == second.dat;
  });
}

/// Whether a loop directly accesses what another adds to.
bool uses_sum(std::span<const core::LoopArg> adds, std::span<const core::LoopArg> args) {
  return any_pair(adds, args, [](const core::LoopArg& sum, const core::LoopArg& arg) {
    return sum.modifies_dat() && is_direct_dat(arg) && sum.dat == arg.dat;
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

/// Finds the groups of one chain.
class Grouping {
 public:
  Grouping(const core::Queue& queue, const std::vector<LoopLevels>& levels,
           const std::vector<Order>& order, const FusionRules& rules)
      : queue_(queue), levels_(levels), order_(order), rules_(rules) {}

  std::vector<LoopGroup> groups_of(const Chain& chain) const {
    std::vector<LoopGroup> groups;
    bool can_grow = false;
    for (std::size_t k = chain.records.begin; k < chain.records.end; ++k) {
      if (!runs(k)) {
        can_grow = false;
        continue;
      }
      if (LoopGroup gathering = gathering_from(k, chain); !gathering.loops.empty()) {
        k = gathering.loops.back();
        groups.push_back(std::move(gathering));
        can_grow = false;
        continue;
      }
      const bool part = can_be_part(k);
      if (can_grow && part && can_join(groups.back().loops, k))
        groups.back().loops.push_back(k);
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
    return rules_.target->allows_vectors(arg_shapes(marked));
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
    return all.size() <= most_loops && merged_step(queue_, all).args.size() <= most_args &&
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
      group.loops.push_back(k);
      ++group.gathered;
    }
    if (!pays) return {};
    while (k < chain.records.end && !runs(k)) ++k;
    while (k < chain.records.end && can_gather(group, k)) group.loops.push_back(k++);
    return group.loops.size() > group.gathered ? group : LoopGroup{};
  }

  jit::Gathering gathering_of(std::size_t k) const {
    const bool may = rules_.gathers && runs(k) && can_be_part(k);
    return may ? rules_.target->gathering_of(arg_shapes(args(k))) : jit::Gathering::never;
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
    if (!runs(next) || !can_be_part(next) || !completes(group.loops.front(), next) ||
        loop(next).set != target_of(args(group.loops.front())) || has_payload(args(next)))
      return false;
    bool shares = false;
    for (std::size_t k = 0; k < group.loops.size(); ++k) {
      const auto earlier = args(group.loops[k]);
      if (k < group.gathered ? share_global(earlier, args(next)) : conflict(earlier, args(next)))
        return false;
      shares = shares || (k < group.gathered ? uses_sum(earlier, args(next))
                                             : share_rows(earlier, args(next)));
    }
    Records all = group.loops;
    all.push_back(next);
    if (!shares || rules_.stays_apart(all)) return false;
    const Step step = merged_step(queue_, all, group.gathered);
    return step.args.size() - static_cast<std::size_t>(step.gathered().back()) <= most_args &&
           rules_.target->can_gather(arg_shapes(step.args), step.gathered());
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

/// Whether the target can run all loops: the host would look for rows where they were at first.
bool all_run_on_target(const core::Queue& queue, const Analysis& analysis,
                       const std::vector<Order>& order, const FusionRules& rules) {
  for (std::size_t k = 0; k < queue.size(); ++k) {
    const core::LoopRecord& loop = queue.records()[k];
    if (loop.is_assignment() || analysis.loops[k].extent == core::no_level) continue;
    std::vector<core::LoopArg> args(queue.args_of(loop).begin(), queue.args_of(loop).end());
    mark_payloads(args, order[k]);
    if (order[k] != Order::any || loop.colouring != nullptr || !rules.is_compiled(loop) ||
        !rules.target->can_run(arg_shapes(args)))
      return false;
  }
  return true;
}

Step leveled_step(const core::Queue& queue, const Chain& chain, const LoopGroup& group,
                  const Analysis& analysis, const std::vector<Order>& order,
                  const FusionRules& rules) {
  Step step = merged_step(queue, group.loops, group.gathered);
  step.order = order[step.record];
  step.colouring = queue.records()[step.record].colouring;
  step.colour = queue.records()[step.record].colour;
  mark_payloads(step.args, step.order);
  step.levels = analysis.loops[group.position()];
  if (step.gathers()) step.gather->extent = analysis.loops[step.record].extent;
  if (step.levels.slice >= 0) step.slice = &analysis.slices[step.levels.slice];
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

using LeavesZero = std::function<bool(const ArgSource&)>;

/// The dats that other loops add to and a step gathers.
std::vector<const core::Dat*> sums_of(const Step& step) {
  std::vector<const core::Dat*> dats;
  std::vector<SetArgs> loops = step.accesses();
  loops.pop_back();
  for (const SetArgs& loop : loops)
    for (const core::LoopArg& arg : loop.args)
      if (arg.modifies_dat() && std::ranges::find(dats, arg.dat) == dats.end())
        dats.push_back(arg.dat);
  return dats;
}

/// Whether the last kernel that accesses a sum does so by one argument, which leaves zeros.
bool ends_with_zeros(const Step& step, const core::Dat* dat, const LeavesZero& leaves_zero) {
  for (std::size_t n = step.kernels.size(); n-- > step.gathered().size();) {
    const KernelUse& use = step.kernels[n];
    int count = 0;
    std::size_t last = 0;
    for (std::size_t k = 0; k < use.args.size(); ++k) {
      const core::LoopArg& arg = step.args[use.args[k].position];
      if (!arg.is_active_dat() || arg.dat != dat) continue;
      last = k;
      ++count;
    }
    if (count > 0) return count == 1 && leaves_zero({use.record, last});
  }
  return false;
}

/// The next step behind `s` that accesses a dat, or null.
Step* next_user(Steps& steps, std::size_t s, const core::Dat* dat) {
  for (std::size_t next = s + 1; next < steps.all.size(); ++next)
    if (steps.all[next].runs() && steps.all[next].accesses_dat(dat)) return &steps.all[next];
  return nullptr;
}

/// Whether a step may take the sums that an earlier one has left at zero for that unseen: it runs
/// on no other rows. What an exchange between them brings of these rows is not looked at.
bool starts_from_zero(const Step& step, const Step& earlier, const core::Dat* dat) {
  const std::vector<const core::Dat*> sums = sums_of(step);
  return std::ranges::find(sums, dat) != sums.end() && step.levels.extent <= earlier.levels.extent;
}

/// Rows of zeros that steps which gather leave for each other: one need not store what the next one
/// need not load. The last step of a plan stores what it leaves, and the first one loads what it
/// finds; so do those between which rows are sent.
void leave_out_zeros(Steps& steps, const LeavesZero& leaves_zero) {
  for (std::size_t s = 0; s < steps.all.size(); ++s) {
    Step& step = steps.all[s];
    if (!step.gathers()) continue;
    for (const core::Dat* dat : sums_of(step)) {
      if (!ends_with_zeros(step, dat, leaves_zero)) continue;
      Step* next = next_user(steps, s, dat);
      if (next == nullptr || !starts_from_zero(*next, step, dat)) continue;
      step.gather->not_stored.push_back(dat);
      next->gather->zero_initialised.push_back(dat);
    }
  }
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

std::vector<LoopGroup> fusion_groups(const core::Queue& queue, const Chain& chain,
                                     const std::vector<LoopLevels>& levels,
                                     const std::vector<Order>& order, const FusionRules& rules) {
  return Grouping(queue, levels, order, rules).groups_of(chain);
}

Steps make_steps(const core::Queue& queue, const Analysis& analysis,
                 const std::vector<Order>& order, const FusionRules& given) {
  FusionRules rules = given;
  rules.gathers = given.gathers && all_run_on_target(queue, analysis, order, given);
  Steps steps;
  for (const Chain& chain : analysis.chains) {
    steps.begin.push_back(steps.all.size());
    const std::vector<LoopGroup> groups = fusion_groups(queue, chain, analysis.loops, order, rules);
    auto next = groups.begin();
    for (std::size_t k = chain.records.begin; k < chain.records.end; ++k) {
      if (queue.records()[k].is_assignment() || analysis.loops[k].extent == core::no_level)
        steps.all.push_back(step_without_loop(queue, chain, k, rules.reproducible));
      else if (next != groups.end() && next->position() == k)
        steps.all.push_back(leveled_step(queue, chain, *next++, analysis, order, rules));
    }
    set_interiors(queue, chain, analysis, groups, std::span(steps.all).subspan(steps.begin.back()));
  }
  steps.begin.push_back(steps.all.size());
  if (rules.gathers && rules.leaves_zero) leave_out_zeros(steps, rules.leaves_zero);
  return steps;
}

}  // namespace op2::sched
