// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor.hpp>

#include <cstring>

#include <sched/host_loop.hpp>
#include <sched/reduction.hpp>
#include <sched/set_by_one.hpp>

namespace op2::sched {
namespace {

/// One execution of compiled code, as its threads see it.
struct Run {
  const LoopPart& part;
  core::RangeFunction range;
  const core::ArgBinding* bindings;  ///< of thread 0
  std::size_t arg_count;
  core::ThreadPool& pool;
};

void run_thread(void* context, int thread) noexcept {
  const Run& run = *static_cast<const Run*>(context);
  const auto& phases = run.part.shares->phases;
  const core::ArgBinding* bindings =
      run.bindings + static_cast<std::size_t>(thread) * run.arg_count;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    if (p > 0) run.pool.barrier();
    for (const Range& r : phases[p][static_cast<std::size_t>(thread)])
      run.range(r.begin, r.end, bindings);
  }
}

void run_on_host(const Run& run, const LoopStep& step) {
  for (const auto& phase : run.part.shares->phases)
    for (const Range& r : phase.front())
      run_host_loop(step.kernel, step.args, r.begin, r.end, run.bindings);
}

void run_one_by_one(const Run& run, const LoopStep& step) {
  run_and_mark(step, run.part, step.set->numbers, [&](std::int64_t row) {
    if (run.range != nullptr)
      run.range(row, row + 1, run.bindings);
    else
      run_host_loop(step.kernel, step.args, row, row + 1, run.bindings);
  });
}

/// The value of a global that the loop sees: what was assigned before, or what there was before the
/// chain.
void* seen(const GlobalSlot& slot, core::Queue& queue) {
  if (slot.assignment >= 0)
    return queue.captured(queue.records()[static_cast<std::size_t>(slot.assignment)].captured);
  if (slot.shape.global != nullptr) return slot.shape.global->value.data();
  const core::ArgValue& value = slot.source.value_in(queue);
  return slot.shape.modifies() ? value.user : queue.captured(value.captured);
}

/// Start of a thread's result, and of the mark behind it.
void start(const GlobalSlot& slot, const void* before, std::byte* partial) {
  start_partial(slot.shape, before, partial);
  if (slot.shape.is_set_by_one()) std::memcpy(partial + slot.mark, &no_element, sizeof no_element);
}

}  // namespace

void bind_globals(LoopStep& step, Half half, core::Queue& queue) {
  if (half == Half::late && !step.early.empty()) return;
  for (int t = 0; t < step.binding_sets; ++t) {
    core::ArgBinding* own = step.bindings.data() + static_cast<std::size_t>(t) * step.args.size();
    for (const GlobalSlot& slot : step.reads) own[slot.arg].base = seen(slot, queue);
    for (const GlobalSlot& slot : step.reductions)
      start(slot, seen(slot, queue), step.partial(slot, t));
  }
}

void run_half(const LoopStep& step, Half half, core::ThreadPool& pool) {
  const QueuedValues values(step.variables);
  for (const LoopPart& part : half == Half::early ? step.early : step.late) {
    Run run{part, step.range, step.bindings_of(0, part.counts), step.args.size(), pool};
    if (step.marks && part.counts)
      run_one_by_one(run, step);
    else if (step.range == nullptr)
      run_on_host(run, step);
    else if (part.threads == 1)
      run_thread(&run, 0);
    else
      pool.run(run_thread, &run);
  }
}

void run_assignment(const core::LoopRecord& record, core::Queue& queue) {
  record.target->partial.clear();
  std::memcpy(record.target->value.data(), queue.captured(record.captured),
              record.target->value.size());
}

}  // namespace op2::sched
