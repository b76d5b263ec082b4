// SPDX-License-Identifier: BSD-3-Clause
#include <sched/reductions.hpp>

#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include <comm/messages/reduce_values.hpp>
#include <core/error.hpp>
#include <core/exact_sum.hpp>
#include <core/value_type.hpp>
#include <sched/executor/bindings.hpp>

namespace op2::sched {
namespace {

/// A minimum or maximum; where NaN wins, always the same one.
template <class T>
T folded_extreme(op_access access, T value, T partial, comm::Nan nan) {
  if (nan == comm::Nan::wins && (value != value || partial != partial))
    return std::numeric_limits<T>::quiet_NaN();
  const bool takes = access == OP_MIN ? is_less(partial, value) : is_less(value, partial);
  return takes || value != value ? partial : value;
}

template <class T>
T folded(op_access access, T value, T partial, comm::Nan nan) {
  if (access == OP_WRITE) return partial;
  if (access == OP_MIN || access == OP_MAX) return folded_extreme(access, value, partial, nan);
  return static_cast<T>(value + partial);
}

/// Precondition for OP_WRITE: the partial result is that of the last element.
void fold(op_access access, Type type, int dim, const std::byte* partial, void* value,
          comm::Nan nan) {
  core::with_type(type, [&]<class T>() {
    const T* from = reinterpret_cast<const T*>(partial);
    T* to = static_cast<T*>(value);
    for (int k = 0; k < dim; ++k) to[k] = folded(access, to[k], from[k], nan);
  });
}

/// The value before is one more term.
template <class T>
void add_rounded_once(std::span<const core::ExactSum<T>> sums, T* value) {
  for (std::size_t k = 0; k < sums.size(); ++k) {
    core::ExactSum<T> sum = sums[k];
    sum.add(value[k]);
    value[k] = sum.rounded();
  }
}

comm::Nan nan_of(const core::Global& global) {
  return global.nan_wins ? comm::Nan::wins : comm::Nan::loses;
}

}  // namespace

comm::Fold fold_of(op_access access) {
  if (access == OP_MIN) return comm::Fold::least;
  return access == OP_MAX ? comm::Fold::greatest : comm::Fold::sum;
}

void start_partial(const core::LoopArg& arg, const void* before, std::byte* partial) {
  const std::size_t bytes = core::size_of(arg.type, arg.dim);
  if (arg.access == OP_INC)
    std::memset(partial, 0, bytes);
  else
    std::memcpy(partial, before, bytes);
}

void fold_partial(const core::LoopArg& arg, const std::byte* partial, void* value, comm::Nan nan) {
  fold(arg.access, arg.type, arg.dim, partial, value, nan);
}

core::Array& start_lazy_partial(const core::LoopArg& arg, core::Global& global, comm::Nan nan) {
  if (global.partial.bytes() != global.value.bytes())
    global.partial.replace(core::zeroed_bytes(global.value.bytes()));
  global.has_partial = true;
  global.partial_access = arg.access;
  global.partial_is_exact = false;
  global.nan_wins = nan == comm::Nan::wins;
  return global.partial;
}

void add_to_partial(const core::LoopArg& arg, const std::byte* found, core::Global& global,
                    comm::Nan nan) {
  if (!global.has_partial) {
    core::Array& partial = start_lazy_partial(arg, global, nan);
    std::memcpy(partial.host_overwrite().get(), found, partial.bytes());
    return;
  }
  core::ensure(global.partial_access == arg.access && !global.partial_is_exact,
               "a global has partial results of two operations");
  fold_partial(arg, found, global.partial.host_write().get(), nan);
}

void settle(core::Global& global) {
  if (!global.has_partial) return;
  void* const value = global.value.host_write().get();
  const std::byte* const partial = global.partial.host_read();
  if (global.partial_is_exact)
    core::with_rounded(global.value_type, [&]<class T>() {
      const auto* sums = reinterpret_cast<const core::ExactSum<T>*>(partial);
      add_rounded_once<T>({sums, static_cast<std::size_t>(global.dim)}, static_cast<T*>(value));
    });
  else
    fold(global.partial_access, global.value_type, global.dim, partial, value, nan_of(global));
  global.has_partial = false;
  global.partial_is_exact = false;
}

void combine(std::span<core::Global* const> globals, comm::Communicator& communicator) {
  std::vector<comm::FoldedValues> partials;
  for (core::Global* global : globals)
    if (global->has_partial)
      partials.push_back({global->value_type, fold_of(global->partial_access), global->dim,
                          global->partial.host_write().get(), global->partial_is_exact,
                          nan_of(*global)});
  if (partials.empty()) return;
  comm::reduce_values(communicator, partials);
  for (core::Global* global : globals) settle(*global);
}

namespace {

/// Adds the block of terms of a loop on this rank to the rank's partial result of the global.
void add_to_exact_partial(const core::LoopArg& arg, std::byte* found, core::Global& global) {
  core::with_rounded(arg.type, [&]<class T>() {
    const std::span<core::ExactSum<T>> sums = core::sums_of<T>(found);
    if (!global.has_partial) {
      const auto bytes = std::as_bytes(sums);
      global.partial.replace(core::bytes_of(std::vector<std::byte>(bytes.begin(), bytes.end())));
      global.has_partial = true;
      global.partial_access = arg.access;
      global.partial_is_exact = true;
      return;
    }
    core::ensure(global.partial_access == arg.access && global.partial_is_exact,
                 "a global has partial results of two operations");
    auto* const earlier = reinterpret_cast<core::ExactSum<T>*>(global.partial.host_write().get());
    for (std::size_t k = 0; k < sums.size(); ++k) earlier[k].add(sums[k]);
  });
}

/// A raw global after its loop on this rank.
struct RawResult {
  const GlobalArg* global;
  std::byte* found;  ///< with the element behind it, for a payload; or a block of terms
  std::byte* value;  ///< the program's memory: the value before the loop
};

/// Gives a raw global its value on the only rank.
void finish_alone(const RawResult& raw) {
  const core::LoopArg& shape = raw.global->shape;
  if (!raw.global->exact) return fold_partial(shape, raw.found, raw.value, raw.global->nan);
  core::with_rounded(shape.type, [&]<class T>() {
    add_rounded_once<T>(core::sums_of<T>(raw.found), reinterpret_cast<T*>(raw.value));
  });
}

/// The sums of terms on this rank and, on the root, the value before the loop.
comm::FoldedValues exact_sums(const RawResult& raw, bool is_root) {
  const core::LoopArg& shape = raw.global->shape;
  comm::FoldedValues values{shape.type, fold_of(shape.access), shape.dim, nullptr, true};
  core::with_rounded(shape.type, [&]<class T>() {
    const std::span<core::ExactSum<T>> sums = core::sums_of<T>(raw.found);
    const T* const before = reinterpret_cast<const T*>(raw.value);
    for (std::size_t k = 0; k < sums.size() && is_root; ++k) sums[k].add(before[k]);
    values.values = sums.data();
  });
  return values;
}

/// What this rank contributes to sums and extremes: the root its value too. Partial results of
/// OP_MIN and OP_MAX include the rank's value.
comm::FoldedValues contribution(const RawResult& raw, bool is_root) {
  const core::LoopArg& shape = raw.global->shape;
  if (raw.global->exact) return exact_sums(raw, is_root);
  if (is_root)
    fold_partial(shape, raw.found, raw.value, raw.global->nan);
  else
    std::memcpy(raw.value, raw.found, core::size_of(shape.type, shape.dim));
  return {shape.type, fold_of(shape.access), shape.dim, raw.value, false, raw.global->nan};
}

void round_sums(const RawResult& raw) {
  core::with_rounded(raw.global->shape.type, [&]<class T>() {
    T* const value = reinterpret_cast<T*>(raw.value);
    const std::span<core::ExactSum<T>> sums = core::sums_of<T>(raw.found);
    for (std::size_t k = 0; k < sums.size(); ++k) value[k] = sums[k].rounded();
  });
}

/// Sums and extremes of the root's value and of what all ranks have found, so that every rank gets
/// the same result.
void reduce_raw(std::span<const RawResult> results, comm::Communicator& communicator) {
  std::vector<comm::FoldedValues> values;
  for (const RawResult& raw : results)
    if (!raw.global->shape.is_payload())
      values.push_back(contribution(raw, communicator.is_root()));
  if (!values.empty()) comm::reduce_values(communicator, values);
  for (const RawResult& raw : results)
    if (raw.global->exact) round_sums(raw);
}

/// Precondition: extremes have their final values.
void finish_payloads(std::span<const RawResult> results, comm::Communicator& communicator) {
  std::vector<Payload> payloads;
  for (const RawResult& raw : results) {
    const core::LoopArg& shape = raw.global->shape;
    if (!shape.is_payload()) continue;
    Payload payload{
        raw.value, core::size_of(shape.type, shape.dim), raw.found, no_element, nullptr, nullptr,
        nullptr};
    std::memcpy(&payload.element, raw.found + raw.global->element, sizeof payload.element);
    for (const RawResult& extreme : results)
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
  const bool is_alone = !sends_messages(communicator);
  std::vector<RawResult> results;
  for (const GlobalArg& global : step.reductions) {
    std::byte* const found = collect(global);
    core::Global* const lazy = global.shape.global;
    if (lazy == nullptr)
      results.push_back(
          {&global, found, static_cast<std::byte*>(global.source.value_in(queue).user)});
    else if (found != nullptr && global.exact)
      add_to_exact_partial(global.shape, found, *lazy);
    else if (found != nullptr && is_alone)
      fold_partial(global.shape, found, lazy->value.host_write().get(), global.nan);
    else if (found != nullptr)
      add_to_partial(global.shape, found, *lazy, global.nan);
  }
  if (is_alone) {
    for (const RawResult& raw : results) finish_alone(raw);
    return;
  }
  reduce_raw(results, communicator);
  finish_payloads(results, communicator);
}

}  // namespace op2::sched
