// SPDX-License-Identifier: BSD-3-Clause
#include <sched/step_builder.hpp>

#include <algorithm>
#include <iterator>

#include <core/value_type.hpp>

namespace op2::sched {
namespace {

/// Loops over fewer elements run on the calling thread: waking others costs more than it gains.
constexpr int min_elements_per_thread = 256;

core::ArgBinding bind(const core::Set& set, const core::LoopArg& arg) {
  core::ArgBinding binding{nullptr, nullptr, 0};
  if (!arg.active) return binding;
  if (arg.dat != nullptr) binding.base = arg.dat->rows.get();
  if (arg.map != nullptr) {
    binding.index = arg.map->map + arg.column;
    binding.index_stride = arg.map->dim;
  }
  const core::Set& numbered = arg.map != nullptr ? *core::record_of(arg.map->to) : set;
  if (arg.kind == OP_ARG_IDX && !numbered.numbers.empty())
    binding.base = const_cast<std::int32_t*>(numbered.numbers.data());
  return binding;
}

/// The last assignment to `global` in [begin, end) of the queue, or -1.
std::ptrdiff_t assignment_before(const core::Queue& queue, std::size_t begin, std::size_t end,
                                 const core::Global* global) {
  for (std::size_t k = end; k > begin; --k)
    if (global != nullptr && queue.records()[k - 1].target == global)
      return static_cast<std::ptrdiff_t>(k - 1);
  return -1;
}

/// Bindings of all threads; reductions get their places in the threads' blocks.
void bind_args(const core::Queue& queue, RecordRange chain, LoopStep& step) {
  const auto& args = step.args;
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (!args[k].active || args[k].kind != OP_ARG_GBL) continue;
    const std::size_t end = (core::size_of(args[k].type, args[k].dim) + 7) / 8 * 8;
    (args[k].modifies() ? step.reductions : step.reads)
        .push_back({k, args[k], step.block_bytes,
                    assignment_before(queue, chain.begin, step.sources[k].record, args[k].global),
                    end, step.sources[k]});
    if (args[k].modifies()) step.block_bytes += (end + sizeof(std::int64_t) + 63) / 64 * 64;
  }
  const auto is_apart = [](const LoopPart& part) { return !part.counts; };
  const bool apart =
      std::ranges::any_of(step.early, is_apart) || std::ranges::any_of(step.late, is_apart);
  step.binding_sets = apart ? 2 * step.threads : step.threads;
  step.blocks =
      core::allocate_zeroed(step.block_bytes * static_cast<std::size_t>(step.binding_sets));
  for (int t = 0; t < step.binding_sets; ++t) {
    std::transform(args.begin(), args.end(), std::back_inserter(step.bindings),
                   [&](const core::LoopArg& arg) { return bind(*step.set, arg); });
    core::ArgBinding* own = step.bindings.data() + static_cast<std::size_t>(t) * args.size();
    for (const GlobalSlot& slot : step.reductions) own[slot.arg].base = step.partial(slot, t);
  }
}

bool reduces(std::span<const core::LoopArg> args) {
  return std::any_of(args.begin(), args.end(),
                     [](const core::LoopArg& arg) { return arg.is_reduction(); });
}

}  // namespace

bool depends_on_order(const LoopStep& step) {
  return sets_globals(step.args) ||
         meets_out_of_order(conflict_pattern(step.set, step.args), step.set->within(step.extent));
}

void StepBuilder::build(const core::Queue& queue, RecordRange chain, bool in_order,
                        LoopStep& step) {
  step.in_order = in_order;
  const auto& args = step.args;
  const std::int64_t owned = step.set->size, end = step.set->within(step.extent);
  const bool by_one = sets_globals(args);
  const std::int64_t core = by_one ? 0 : std::min<std::int64_t>(end, step.set->within(step.core));
  step.marks = by_one && step.set->distributed();
  const ConflictPattern pattern = conflict_pattern(step.set, args);
  // Only reductions tell owned elements from others.
  const std::int64_t border = reduces(args) ? owned : end;
  for (const Range rows : {Range{0, std::min(core, border)}, Range{std::min(core, border), core}})
    add_parts(pattern, rows, in_order, step, step.early);
  for (const Range rows : {Range{core, std::max(core, border)}, Range{std::max(core, border), end}})
    add_parts(pattern, rows, in_order, step, step.late);
  step.early_iterations = core;
  step.late_iterations = end - core;
  step.redundant_iterations = std::max<std::int64_t>(0, end - owned);
  step.useful_bytes = useful_bytes(step.set, args);
  bind_args(queue, chain, step);
}

void StepBuilder::bind_for_tiles(const core::Queue& queue, RecordRange chain, LoopStep& step) {
  step.threads = threads_;
  step.bindings.clear();
  step.reads.clear();
  step.reductions.clear();
  step.block_bytes = 0;
  bind_args(queue, chain, step);
}

void StepBuilder::add_parts(const ConflictPattern& pattern, Range rows, bool in_order,
                            LoopStep& step, std::vector<LoopPart>& parts) {
  if (rows.begin >= rows.end) return;
  const bool alone = step.range == nullptr || in_order ||
                     rows.end - rows.begin < std::int64_t{threads_} * min_elements_per_thread;
  const int threads = alone ? 1 : threads_;
  step.threads = std::max(step.threads, threads);
  const bool counts = rows.begin < step.set->size;
  // The order that the result depends on is that of the declaration.
  const bool by_number =
      in_order && counts && !step.set->numbers.empty() && (!step.set->distributed() || step.marks);
  parts.push_back({by_number ? &shares_by_number(*step.set) : &shares_for(pattern, rows, threads),
                   threads, counts});
}

const ThreadPlan& StepBuilder::shares_by_number(const core::Set& set) {
  auto& shares = by_number_[&set];
  if (shares == nullptr)
    shares = std::make_unique<ThreadPlan>(
        plan_by_number(std::span(set.numbers).first(static_cast<std::size_t>(set.size))));
  return *shares;
}

const ThreadPlan& StepBuilder::shares_for(const ConflictPattern& pattern, Range rows, int threads) {
  // On one thread all loops over a set are alike.
  Key key{threads == 1 ? ConflictPattern{pattern.set, {}} : pattern, rows.begin, rows.end, threads};
  auto& shares = shares_[key];
  if (shares == nullptr)
    shares = std::make_unique<ThreadPlan>(plan_loop(std::get<0>(key), rows, threads));
  return *shares;
}

}  // namespace op2::sched
