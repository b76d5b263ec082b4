// SPDX-License-Identifier: BSD-3-Clause
#include <sched/finish_reductions.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include <core/value_type.hpp>
#include <sched/executor/payload.hpp>
#include <sched/reduction.hpp>

namespace op2::sched {
namespace {

void finish_alone(const Step& step, const core::Queue& queue, const Collect& collect) {
  for (const GlobalArg& global : step.reductions)
    fold_partial(global.shape, collect(global),
                 global.shape.global != nullptr ? global.shape.global->value.data()
                                                : global.source.value_in(queue).user);
}

/// What all ranks have found for the raw globals of a loop: for each its value before the loop, the
/// rank's result, and the number of the element that has set it.
struct RawResults {
  comm::Bytes mine, all;
  std::map<std::size_t, std::size_t> offsets;  ///< in `mine`, by argument

  void add(const GlobalArg& global, const std::byte* total, const void* user) {
    offsets[global.arg] = mine.size();
    const std::size_t bytes = core::size_of(global.shape.type, global.shape.dim);
    const auto* start = static_cast<const std::byte*>(user);
    mine.insert(mine.end(), start, start + bytes);
    mine.insert(mine.end(), total, total + bytes);
    const std::byte* element = total + global.element;
    if (global.shape.is_set_by_one())
      mine.insert(mine.end(), element, element + sizeof(std::int64_t));
  }

  const std::byte* start(const GlobalArg& global) const {
    return all.data() + offsets.at(global.arg);
  }
  const std::byte* total(const GlobalArg& global, int rank) const {
    return start(global) + static_cast<std::size_t>(rank) * mine.size() +
           core::size_of(global.shape.type, global.shape.dim);
  }

  void take_winner(const Step& step, const GlobalArg& global, int ranks, void* result) const {
    const std::size_t bytes = core::size_of(global.shape.type, global.shape.dim);
    const auto extreme = std::ranges::find_if(step.reductions, [&](const GlobalArg& other) {
      return static_cast<int>(other.arg) == global.shape.info_of;
    });
    const bool has_extreme = extreme != step.reductions.end();
    std::vector<Found> found;
    for (int rank = 0; rank < ranks; ++rank) {
      std::int64_t element = no_element;
      std::memcpy(&element, total(global, rank) + bytes, sizeof element);
      found.push_back(
          {total(global, rank), element, has_extreme ? total(*extreme, rank) : nullptr});
    }
    const int winner = winner_of(found, has_extreme ? &extreme->shape : nullptr);
    if (winner >= 0) std::memcpy(result, found[static_cast<std::size_t>(winner)].value, bytes);
  }
};

bool is_raw(const GlobalArg& global) {
  return global.shape.global == nullptr;
}

/// Reductions some of which get the value of one element. Collective.
void gather_raw(const Step& step, const core::Queue& queue, comm::Communicator& communicator,
                const Collect& collect) {
  RawResults results;
  for (const GlobalArg& global : step.reductions)
    if (is_raw(global)) results.add(global, collect(global), global.source.value_in(queue).user);
  results.all = communicator.gather_all(results.mine);
  for (const GlobalArg& global : step.reductions) {
    if (!is_raw(global)) continue;
    void* result = global.source.value_in(queue).user;
    std::memcpy(result, results.start(global), core::size_of(global.shape.type, global.shape.dim));
    if (global.shape.is_set_by_one())
      results.take_winner(step, global, communicator.size(), result);
    else
      for (int rank = 0; rank < communicator.size(); ++rank)
        fold_partial(global.shape, results.total(global, rank), result);
  }
}

/// Reductions into the program's memory: the root's value and what all ranks have found, so that
/// every rank gets the same result. What is found by OP_MIN and OP_MAX begins with the rank's
/// value.
void finish_raw(const Step& step, const core::Queue& queue, comm::Communicator& communicator,
                const Collect& collect) {
  const auto is_set = [](const GlobalArg& g) { return is_raw(g) && g.shape.is_set_by_one(); };
  if (std::ranges::any_of(step.reductions, is_set))
    return gather_raw(step, queue, communicator, collect);
  std::vector<comm::FoldedValues> found;
  for (const GlobalArg& global : step.reductions) {
    if (!is_raw(global)) continue;
    const core::LoopArg& shape = global.shape;
    void* result = global.source.value_in(queue).user;
    const std::byte* total = collect(global);
    if (communicator.is_root())
      fold_partial(shape, total, result);
    else
      std::memcpy(result, total, core::size_of(shape.type, shape.dim));
    found.push_back({shape.type, fold_of(shape.access), shape.dim, result});
  }
  if (!found.empty()) comm::reduce_values(communicator, found);
}

}  // namespace

void finish_reductions(const Step& step, const core::Queue& queue, comm::Communicator& communicator,
                       const Collect& collect) {
  if (step.reductions.empty()) return;
  if (communicator.size() == 1) return finish_alone(step, queue, collect);
  for (const GlobalArg& global : step.reductions)
    if (global.shape.global != nullptr)
      add_to_partial(global.shape, collect(global), *global.shape.global);
  finish_raw(step, queue, communicator, collect);
}

}  // namespace op2::sched
