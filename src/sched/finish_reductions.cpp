// SPDX-License-Identifier: BSD-3-Clause
#include <sched/finish_reductions.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include <core/value_type.hpp>
#include <sched/reduction.hpp>
#include <sched/set_by_one.hpp>

namespace op2::sched {
namespace {

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
                                              : slot.source.value_in(queue).user);
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

bool is_raw(const GlobalSlot& slot) {
  return slot.shape.global == nullptr;
}

/// Reductions some of which get the value of one element. Collective.
void gather_raw(const LoopStep& step, const core::Queue& queue, comm::Communicator& communicator) {
  RawResults results;
  for (const GlobalSlot& slot : step.reductions)
    if (is_raw(slot)) results.add(step, slot, slot.source.value_in(queue).user);
  results.all = communicator.gather_all(results.mine);
  for (const GlobalSlot& slot : step.reductions) {
    if (!is_raw(slot)) continue;
    void* result = slot.source.value_in(queue).user;
    std::memcpy(result, results.start(slot), core::size_of(slot.shape.type, slot.shape.dim));
    if (slot.shape.is_set_by_one())
      results.take_winner(step, slot, communicator.size(), result);
    else
      for (int rank = 0; rank < communicator.size(); ++rank)
        fold_partial(slot.shape, results.total(slot, rank), result);
  }
}

/// Reductions into the program's memory: the root's value and what all ranks have found, so that
/// every rank gets the same result. What is found by OP_MIN and OP_MAX begins with the rank's
/// value.
void finish_raw(const LoopStep& step, const core::Queue& queue, comm::Communicator& communicator) {
  const auto is_set = [](const GlobalSlot& s) { return is_raw(s) && s.shape.is_set_by_one(); };
  if (std::ranges::any_of(step.reductions, is_set)) return gather_raw(step, queue, communicator);
  std::vector<comm::FoldedValues> found;
  for (const GlobalSlot& slot : step.reductions) {
    if (!is_raw(slot)) continue;
    void* result = slot.source.value_in(queue).user;
    const std::byte* total = fold_threads(step, slot);
    if (communicator.is_root())
      fold_partial(slot.shape, total, result);
    else
      std::memcpy(result, total, core::size_of(slot.shape.type, slot.shape.dim));
    found.push_back({slot.shape.type, fold_of(slot.shape.access), slot.shape.dim, result});
  }
  if (!found.empty()) comm::reduce_values(communicator, found);
}

}  // namespace

void finish_reductions(const LoopStep& step, const core::Queue& queue,
                       comm::Communicator& communicator) {
  if (step.reductions.empty()) return;
  if (communicator.size() == 1) return finish_alone(step, queue);
  for (const GlobalSlot& slot : step.reductions)
    if (slot.shape.global != nullptr)
      add_to_partial(slot.shape, fold_threads(step, slot), *slot.shape.global);
  finish_raw(step, queue, communicator);
}

}  // namespace op2::sched
