// SPDX-License-Identifier: BSD-3-Clause
#include <sched/reduction.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

#include <comm/messages/reduce_values.hpp>
#include <core/error.hpp>
#include <core/value_type.hpp>

namespace op2::sched {
namespace {

template <class T>
T folded(op_access access, T value, T partial) {
  if (access == OP_WRITE) return partial;
  if (access == OP_MIN) return std::min(value, partial);
  if (access == OP_MAX) return std::max(value, partial);
  return static_cast<T>(value + partial);
}

/// Precondition for OP_WRITE: the partial result is that of the last element.
void fold(op_access access, Type type, int dim, const std::byte* partial, void* value) {
  core::with_type(type, [&]<class T>() {
    const T* from = reinterpret_cast<const T*>(partial);
    T* to = static_cast<T*>(value);
    for (int k = 0; k < dim; ++k) to[k] = folded(access, to[k], from[k]);
  });
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

void fold_partial(const core::LoopArg& arg, const std::byte* partial, void* value) {
  fold(arg.access, arg.type, arg.dim, partial, value);
}

void add_to_partial(const core::LoopArg& arg, const std::byte* found, core::Global& global) {
  if (global.partial.empty()) {
    global.partial.assign(found, found + global.value.bytes());
    global.partial_access = arg.access;
    return;
  }
  core::ensure(global.partial_access == arg.access,
               "a global has partial results of two operations");
  fold_partial(arg, found, global.partial.data());
}

void combine(std::span<core::Global* const> globals, comm::Communicator& communicator) {
  std::vector<comm::FoldedValues> partials;
  for (core::Global* global : globals)
    if (!global->partial.empty())
      partials.push_back({global->value_type, fold_of(global->partial_access), global->dim,
                          global->partial.data()});
  if (partials.empty()) return;
  comm::reduce_values(communicator, partials);
  for (core::Global* global : globals) {
    if (global->partial.empty()) continue;
    fold(global->partial_access, global->value_type, global->dim, global->partial.data(),
         global->value.host_write().get());
    global->partial.clear();
  }
}

}  // namespace op2::sched
