// SPDX-License-Identifier: BSD-3-Clause
#include "step_kernel.hpp"

#include <algorithm>
#include <cstring>

#include <jit/target/cpu/cpu_target.hpp>
#include <sched/executor/payload.hpp>
#include <sched/executor/reference/host_loop.hpp>

namespace op2::test::gpu {

/// A kernel works on partial results in memory of its threads, as those of a GPU in registers.
sched::StepBindings StepKernel::bind_partials() const {
  sched::StepBindings bindings;
  bindings.sets = 2;
  bindings.args = args;
  bindings.args.insert(bindings.args.end(), args.begin(), args.end());
  bindings.blocks = core::allocate_zeroed(2 * step->block_bytes);
  bindings.block_bytes = step->block_bytes;
  bindings.arg_count = args.size();
  for (const int set : {0, 1})
    for (const sched::GlobalArg& reduction : step->reductions) {
      const std::size_t first = static_cast<std::size_t>(set) * args.size();
      core::ArgBinding& bound = bindings.args[first + reduction.arg];
      bound.base = bindings.partial(reduction, set);
      if (reduction.shape.any_order && !global_index.empty()) bound.index = global_index.data();
    }
  return bindings;
}

void StepKernel::run() const {
  const sched::StepBindings bindings = bind_partials();
  const std::size_t bytes = 2 * step->block_bytes;
  if (bytes > 0) std::memcpy(bindings.blocks.get(), partials, bytes);
  for (const sched::IndexRange& range : rows) {
    const std::int64_t border = std::clamp(owned, range.begin, range.end);
    run_rows(bindings, {range.begin, border}, true);
    run_rows(bindings, {border, range.end}, false);
  }
  if (bytes > 0) std::memcpy(partials, bindings.blocks.get(), bytes);
}

void StepKernel::run_rows(const sched::StepBindings& bindings, sched::IndexRange range,
                          bool counts) const {
  if (range.empty()) return;
  const auto run_range = [&](sched::IndexRange some, const core::ArgBinding* bound) {
    if (code->compiled != nullptr)
      jit::range_of (*code->compiled)(some.begin, some.end, bound);
    else
      sched::run_host_step(*step, some, bound);
  };
  if (!counts || !step->tracks_elements(*code)) return run_range(range, bindings.of(0, counts));
  sched::run_and_track(*step, bindings, {range}, global_index,
                       [&](std::int64_t row, const core::ArgBinding* bound) {
                         run_range({row, row + 1}, bound);
                       });
}

}  // namespace op2::test::gpu
