// SPDX-License-Identifier: BSD-3-Clause
#include <sched/reduction.hpp>

#include <cstring>
#include <limits>
#include <vector>

#include <comm/messages/reduce_values.hpp>
#include <core/error.hpp>
#include <core/exact_sum.hpp>
#include <core/term_block.hpp>
#include <core/value_type.hpp>

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

void add_exactly(const core::LoopArg& arg, std::byte* found, void* value) {
  core::with_rounded(arg.type, [&]<class T>() {
    add_rounded_once<T>(core::sums_of<T>(found), static_cast<T*>(value));
  });
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

}  // namespace op2::sched
