// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/bindings.hpp>

#include <cstring>

#include <core/exact_sum.hpp>
#include <sched/executor/payload.hpp>
#include <sched/reductions.hpp>

namespace op2::sched {
namespace {

core::ArgBinding bind_arg(const core::Set& set, const core::LoopArg& arg) {
  core::ArgBinding binding{nullptr, nullptr, 0};
  if (!arg.active) return binding;
  if (arg.dat != nullptr) binding.base = arg.dat->rows.host_address();
  if (arg.map != nullptr) {
    binding.index = arg.map->map + arg.column;
    binding.index_stride = arg.map->dim;
  }
  const core::Set& numbered = arg.map != nullptr ? *core::record_of(arg.map->to) : set;
  if (arg.kind == OP_ARG_IDX && !numbered.global_indices.empty())
    binding.base = const_cast<std::int32_t*>(numbered.global_indices.data());
  return binding;
}

}  // namespace

StepBindings bind(const Step& step, int threads, bool some_do_not_count,
                  std::span<const core::ArgBinding> slotted) {
  const int sets = some_do_not_count ? 2 * threads : threads;
  StepBindings bindings{.threads = threads,
                        .sets = sets,
                        .args = {},
                        .blocks = core::allocate_zeroed(step.block_bytes * sets),
                        .block_bytes = step.block_bytes,
                        .arg_count = step.args.size() + slotted.size()};
  for (int set = 0; set < bindings.sets; ++set) {
    const std::size_t first = bindings.args.size();
    for (const core::LoopArg& arg : step.args) bindings.args.push_back(bind_arg(*step.set, arg));
    bindings.args.insert(bindings.args.end(), slotted.begin(), slotted.end());
    for (const GlobalArg& reduction : step.reductions) {
      core::ArgBinding& bound = bindings.args[first + reduction.arg];
      bound.base = bindings.partial(reduction, set);
      if (reduction.shape.any_order && !step.set->global_indices.empty())
        bound.index = step.set->global_indices.data();
    }
  }
  return bindings;
}

const void* value_seen(const GlobalArg& global, core::Queue& queue) {
  if (global.assignment >= 0) return queue.captured(queue.records()[global.assignment].captured);
  if (global.shape.global != nullptr) {
    if (global.shape.global->partial_is_exact) settle(*global.shape.global);
    return global.shape.global->value.host_read();
  }
  const core::ArgValue& value = global.source.value_in(queue);
  return global.shape.modifies() ? value.user : queue.captured(value.captured);
}

void bind_globals(const Step& step, core::Queue& queue, StepBindings& bindings) {
  bindings.running = RunningStep(step, queue);
  for (int set = 0; set < bindings.sets; ++set) {
    core::ArgBinding* args = bindings.args.data() + set * bindings.arg_count;
    for (const GlobalArg& global : step.reads)
      args[global.arg].base = const_cast<void*>(value_seen(global, queue));
    for (const GlobalArg& reduction : step.reductions) {
      std::byte* partial = bindings.partial(reduction, set);
      if (reduction.exact) {
        core::start_terms(partial, reduction.shape.type, reduction.shape.dim);
        continue;
      }
      start_partial(reduction.shape, value_seen(reduction, queue), partial);
      if (reduction.shape.is_payload())
        std::memcpy(partial + reduction.element, &no_element, sizeof no_element);
    }
  }
}

void fold_threads(const Step& step, const StepBindings& bindings) {
  if (bindings.threads == 1) return;
  fold_candidates(step, bindings);
  for (const GlobalArg& reduction : step.reductions) {
    if (reduction.shape.is_payload() || has_candidates(step, reduction)) continue;
    for (int thread = 1; thread < bindings.threads; ++thread) {
      std::byte* const from = bindings.partial(reduction, thread);
      std::byte* const into = bindings.partial(reduction, 0);
      if (reduction.exact)
        core::merge_terms(from, into);
      else
        fold_partial(reduction.shape, from, into, reduction.nan);
    }
  }
}

void run_assignment(const core::LoopRecord& record, core::Queue& queue) {
  record.target->has_partial = false;
  record.target->partial_is_exact = false;
  std::memcpy(record.target->value.host_overwrite().get(), queue.captured(record.captured),
              record.target->value.bytes());
}

}  // namespace op2::sched
