// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include <core/value_type.hpp>
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

/// What belongs to this call.
const core::ArgValue& value_of(const GlobalSlot& slot, const core::Queue& queue) {
  return queue.values_of(queue.records()[slot.source.record])[slot.source.arg];
}

/// The value of a global that the loop sees: what was assigned before, or what there was before the
/// chain.
void* seen(const GlobalSlot& slot, core::Queue& queue) {
  if (slot.assignment >= 0)
    return queue.captured(queue.records()[static_cast<std::size_t>(slot.assignment)].captured);
  if (slot.shape.global != nullptr) return slot.shape.global->value.data();
  const core::ArgValue& value = value_of(slot, queue);
  return slot.shape.modifies() ? value.user : queue.captured(value.captured);
}

/// Folds what the threads have found into the first one's block.
std::byte* fold_threads(const LoopStep& step, const GlobalSlot& slot) {
  std::byte* total = step.partial(slot, 0);
  for (int t = 1; t < step.threads; ++t) fold_partial(slot.shape, step.partial(slot, t), total);
  return total;
}

void finish_alone(const LoopStep& step, const core::Queue& queue) {
  for (const GlobalSlot& slot : step.reductions)
    fold_partial(slot.shape, fold_threads(step, slot),
                 slot.shape.global != nullptr ? slot.shape.global->value.data()
                                              : value_of(slot, queue).user);
}

/// What all ranks have found for the raw globals of a loop: for each its value before the loop, the
/// rank's result, and the number of the element that has set it.
struct RawResults {
  comm::Bytes mine, all;
  std::map<std::size_t, std::size_t> places;  ///< in `mine`, by argument

  void add(const LoopStep& step, const GlobalSlot& slot, const void* user) {
    places[slot.arg] = mine.size();
    const std::size_t bytes = core::size_of(slot.shape.type, slot.shape.dim);
    const auto* start = static_cast<const std::byte*>(user);
    const std::byte* total = fold_threads(step, slot);
    mine.insert(mine.end(), start, start + bytes);
    mine.insert(mine.end(), total, total + bytes);
    const std::byte* mark = total + slot.mark;
    if (slot.shape.is_set_by_one()) mine.insert(mine.end(), mark, mark + sizeof(std::int64_t));
  }

  const std::byte* start(const GlobalSlot& slot) const { return all.data() + places.at(slot.arg); }
  const std::byte* total(const GlobalSlot& slot, int rank) const {
    return start(slot) + static_cast<std::size_t>(rank) * mine.size() +
           core::size_of(slot.shape.type, slot.shape.dim);
  }

  void take_winner(const LoopStep& step, const GlobalSlot& slot, int ranks, void* result) const {
    const std::size_t bytes = core::size_of(slot.shape.type, slot.shape.dim);
    const auto extreme = std::ranges::find_if(step.reductions, [&](const GlobalSlot& other) {
      return static_cast<int>(other.arg) == slot.shape.info_of;
    });
    const bool has_extreme = extreme != step.reductions.end();
    std::vector<Found> found;
    for (int rank = 0; rank < ranks; ++rank) {
      std::int64_t mark = no_element;
      std::memcpy(&mark, total(slot, rank) + bytes, sizeof mark);
      found.push_back({total(slot, rank), mark, has_extreme ? total(*extreme, rank) : nullptr});
    }
    const int winner = winner_of(found, has_extreme ? &extreme->shape : nullptr);
    if (winner >= 0) std::memcpy(result, found[static_cast<std::size_t>(winner)].value, bytes);
  }
};

/// Reductions into the program's memory: the root's value and what all ranks have found, so that
/// every rank gets the same result. What is found by OP_MIN and OP_MAX begins with the rank's
/// value.
void finish_raw(const LoopStep& step, const core::Queue& queue, comm::Communicator& communicator) {
  RawResults results;
  for (const GlobalSlot& slot : step.reductions)
    if (slot.shape.global == nullptr) results.add(step, slot, value_of(slot, queue).user);
  if (results.mine.empty()) return;
  results.all = communicator.gather_all(results.mine);
  for (const GlobalSlot& slot : step.reductions) {
    if (slot.shape.global != nullptr) continue;
    void* result = value_of(slot, queue).user;
    std::memcpy(result, results.start(slot), core::size_of(slot.shape.type, slot.shape.dim));
    if (slot.shape.is_set_by_one())
      results.take_winner(step, slot, communicator.size(), result);
    else
      for (int rank = 0; rank < communicator.size(); ++rank)
        fold_partial(slot.shape, results.total(slot, rank), result);
  }
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

void finish_reductions(const LoopStep& step, const core::Queue& queue,
                       comm::Communicator& communicator) {
  if (step.reductions.empty()) return;
  if (communicator.size() == 1) return finish_alone(step, queue);
  for (const GlobalSlot& slot : step.reductions)
    if (slot.shape.global != nullptr)
      add_to_partial(slot.shape, fold_threads(step, slot), *slot.shape.global);
  finish_raw(step, queue, communicator);
}

void run_assignment(const core::LoopRecord& record, core::Queue& queue) {
  record.target->partial.clear();
  std::memcpy(record.target->value.data(), queue.captured(record.captured),
              record.target->value.size());
}

}  // namespace op2::sched
