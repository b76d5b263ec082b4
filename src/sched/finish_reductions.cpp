// SPDX-License-Identifier: BSD-3-Clause
#include <sched/finish_reductions.hpp>

#include <cstring>
#include <span>
#include <vector>

#include <core/value_type.hpp>
#include <sched/executor/payload.hpp>
#include <sched/reduction.hpp>

namespace op2::sched {
namespace {

void finish_alone(const Step& step, const core::Queue& queue, const Collect& collect) {
  for (const GlobalArg& global : step.reductions) {
    const std::byte* found = collect(global);
    if (found == nullptr) continue;
    fold_partial(global.shape, found,
                 global.shape.global != nullptr ? global.shape.global->value.host_write().get()
                                                : global.source.value_in(queue).user);
  }
}

/// A raw global after its loop on this rank.
struct RawResult {
  const GlobalArg* global;
  const std::byte* found;  ///< with the element behind it, for a payload
  std::byte* value;        ///< the program's memory: the value before the loop
};

std::vector<RawResult> raw_results(const Step& step, const core::Queue& queue,
                                   const Collect& collect) {
  std::vector<RawResult> raw;
  for (const GlobalArg& global : step.reductions)
    if (global.shape.global == nullptr)
      raw.push_back(
          {&global, collect(global), static_cast<std::byte*>(global.source.value_in(queue).user)});
  return raw;
}

/// Sums and extremes of the root's value and of what all ranks have found, so that every rank gets
/// the same result. Partial results of OP_MIN and OP_MAX include the rank's value.
void reduce_raw(std::span<const RawResult> raw, comm::Communicator& communicator) {
  std::vector<comm::FoldedValues> values;
  for (const RawResult& one : raw) {
    const core::LoopArg& shape = one.global->shape;
    if (shape.is_payload()) continue;
    if (communicator.is_root())
      fold_partial(shape, one.found, one.value);
    else
      std::memcpy(one.value, one.found, core::size_of(shape.type, shape.dim));
    values.push_back({shape.type, fold_of(shape.access), shape.dim, one.value});
  }
  if (!values.empty()) comm::reduce_values(communicator, values);
}

/// Precondition: extremes have their final values.
void finish_payloads(std::span<const RawResult> raw, comm::Communicator& communicator) {
  std::vector<Payload> payloads;
  for (const RawResult& one : raw) {
    const core::LoopArg& shape = one.global->shape;
    if (!shape.is_payload()) continue;
    Payload payload{
        one.value, core::size_of(shape.type, shape.dim), one.found, no_element, nullptr, nullptr,
        nullptr};
    std::memcpy(&payload.element, one.found + one.global->element, sizeof payload.element);
    for (const RawResult& extreme : raw)
      if (static_cast<int>(extreme.global->arg) == shape.info_of) {
        payload.extreme = &extreme.global->shape;
        payload.own_extreme = extreme.found;
        payload.best_extreme = extreme.value;
      }
    payloads.push_back(payload);
  }
  if (!payloads.empty()) choose_payloads(communicator, payloads);
}

}  // namespace

void finish_reductions(const Step& step, const core::Queue& queue, comm::Communicator& communicator,
                       const Collect& collect) {
  if (step.reductions.empty()) return;
  if (communicator.size() == 1) return finish_alone(step, queue, collect);
  for (const GlobalArg& global : step.reductions)
    if (global.shape.global != nullptr)
      add_to_partial(global.shape, collect(global), *global.shape.global);
  const std::vector<RawResult> raw = raw_results(step, queue, collect);
  reduce_raw(raw, communicator);
  finish_payloads(raw, communicator);
}

}  // namespace op2::sched
