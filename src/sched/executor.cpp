// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor.hpp>

#include <cstring>

#include <sched/host_loop.hpp>
#include <sched/reduction.hpp>

namespace op2::sched {
namespace {

/// One execution of compiled code, as its threads see it.
struct Run {
  const LoopStep& step;
  std::size_t arg_count;
  core::ThreadPool& pool;
};

void run_thread(void* context, int thread) noexcept {
  const Run& run = *static_cast<const Run*>(context);
  const auto& phases = run.step.shares->phases;
  const core::ArgBinding* bindings =
      run.step.bindings.data() + static_cast<std::size_t>(thread) * run.arg_count;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    if (p > 0) run.pool.barrier();
    for (const Range& r : phases[p][static_cast<std::size_t>(thread)])
      run.step.range(r.begin, r.end, bindings);
  }
}

/// Where the result of a reduction lives between loops.
void* result_of(const GlobalSlot& slot, std::span<const core::ArgValue> values) {
  return slot.shape.global != nullptr ? slot.shape.global->value.data() : values[slot.arg].user;
}

void bind_reads(LoopStep& step, std::size_t arg_count, std::span<const core::ArgValue> values,
                core::Queue& queue) {
  for (const GlobalSlot& slot : step.reads) {
    void* base = slot.shape.global != nullptr ? static_cast<void*>(slot.shape.global->value.data())
                                              : queue.captured(values[slot.arg].captured);
    for (int t = 0; t < step.threads; ++t)
      step.bindings[static_cast<std::size_t>(t) * arg_count + slot.arg].base = base;
  }
}

void start_reductions(LoopStep& step, std::span<const core::ArgValue> values) {
  for (const GlobalSlot& slot : step.reductions)
    for (int t = 0; t < step.threads; ++t)
      start_partial(slot.shape, result_of(slot, values), step.partial(slot, t));
}

void finish_reductions(LoopStep& step, std::span<const core::ArgValue> values) {
  for (const GlobalSlot& slot : step.reductions)
    for (int t = 0; t < step.threads; ++t)
      fold_partial(slot.shape, step.partial(slot, t), result_of(slot, values));
}

}  // namespace

void run_loop(LoopStep& step, const core::LoopRecord& record, core::Queue& queue,
              core::ThreadPool& pool) {
  const auto values = queue.values_of(record);
  bind_reads(step, record.arg_count, values, queue);
  start_reductions(step, values);
  Run run{step, record.arg_count, pool};
  if (step.range == nullptr)
    run_host_loop(record.kernel, queue.args_of(record), 0, record.set->size, step.bindings.data());
  else if (step.threads == 1)
    run_thread(&run, 0);
  else
    pool.run(run_thread, &run);
  finish_reductions(step, values);
}

void run_assignment(const core::LoopRecord& record, core::Queue& queue) {
  std::memcpy(record.target->value.data(), queue.captured(record.captured),
              record.target->value.size());
}

}  // namespace op2::sched
