// SPDX-License-Identifier: BSD-3-Clause
#include <sched/finish_reductions.hpp>

#include <cstring>
#include <span>
#include <vector>

#include <core/term_block.hpp>
#include <core/value_type.hpp>
#include <sched/executor/payload.hpp>
#include <sched/reduction.hpp>

namespace op2::sched {
namespace {

void finish_alone(const Step& step, const core::Queue& queue, const Collect& collect) {
  for (const GlobalArg& global : step.reductions) {
    std::byte* const found = collect(global);
    if (found == nullptr) continue;
    core::Global* const lazy = global.shape.global;
    if (global.exact && lazy != nullptr) {
      add_to_exact_partial(global.shape, found, *lazy);
      continue;
    }
    void* const value =
        lazy != nullptr ? lazy->value.host_write().get() : global.source.value_in(queue).user;
    if (global.exact)
      add_exactly(global.shape, found, value);
    else
      fold_partial(global.shape, found, value, global.nan);
  }
}

/// A raw global after its loop on this rank.
struct RawResult {
  const GlobalArg* global;
  std::byte* found;  ///< with the element behind it, for a payload; or a block of terms
  std::byte* value;  ///< the program's memory: the value before the loop
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

/// The sums of terms on this rank and, on the root, the value before the loop.
comm::FoldedValues exact_sums(const RawResult& one, bool is_root) {
  const core::LoopArg& shape = one.global->shape;
  comm::FoldedValues values{shape.type, fold_of(shape.access), shape.dim, nullptr, true};
  core::with_rounded(shape.type, [&]<class T>() {
    const std::span<core::ExactSum<T>> sums = core::sums_of<T>(one.found);
    const T* const before = reinterpret_cast<const T*>(one.value);
    for (std::size_t k = 0; k < sums.size() && is_root; ++k) sums[k].add(before[k]);
    values.values = sums.data();
  });
  return values;
}

/// What this rank contributes to sums and extremes: the root its value too. Partial results of
/// OP_MIN and OP_MAX include the rank's value.
comm::FoldedValues contribution(const RawResult& one, bool is_root) {
  const core::LoopArg& shape = one.global->shape;
  if (one.global->exact) return exact_sums(one, is_root);
  if (is_root)
    fold_partial(shape, one.found, one.value, one.global->nan);
  else
    std::memcpy(one.value, one.found, core::size_of(shape.type, shape.dim));
  return {shape.type, fold_of(shape.access), shape.dim, one.value, false, one.global->nan};
}

void round_sums(const RawResult& one) {
  core::with_rounded(one.global->shape.type, [&]<class T>() {
    T* const value = reinterpret_cast<T*>(one.value);
    const std::span<core::ExactSum<T>> sums = core::sums_of<T>(one.found);
    for (std::size_t k = 0; k < sums.size(); ++k) value[k] = sums[k].rounded();
  });
}

/// Sums and extremes of the root's value and of what all ranks have found, so that every rank gets
/// the same result.
void reduce_raw(std::span<const RawResult> raw, comm::Communicator& communicator) {
  std::vector<comm::FoldedValues> values;
  for (const RawResult& one : raw)
    if (!one.global->shape.is_payload())
      values.push_back(contribution(one, communicator.is_root()));
  if (!values.empty()) comm::reduce_values(communicator, values);
  for (const RawResult& one : raw)
    if (one.global->exact) round_sums(one);
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
  if (!sends_messages(communicator)) return finish_alone(step, queue, collect);
  for (const GlobalArg& global : step.reductions) {
    if (global.shape.global == nullptr) continue;
    std::byte* const found = collect(global);
    if (found == nullptr) continue;
    if (global.exact)
      add_to_exact_partial(global.shape, found, *global.shape.global);
    else
      add_to_partial(global.shape, found, *global.shape.global, global.nan);
  }
  const std::vector<RawResult> raw = raw_results(step, queue, collect);
  reduce_raw(raw, communicator);
  finish_payloads(raw, communicator);
}

}  // namespace op2::sched
