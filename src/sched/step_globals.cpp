// SPDX-License-Identifier: BSD-3-Clause
#include <sched/step_globals.hpp>

#include <span>

#include <core/arithmetic.hpp>
#include <core/term_block.hpp>
#include <core/value_type.hpp>

namespace op2::sched {
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

}  // namespace

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

}  // namespace op2::sched
