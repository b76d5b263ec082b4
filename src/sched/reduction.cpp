// SPDX-License-Identifier: BSD-3-Clause
#include <sched/reduction.hpp>

#include <algorithm>
#include <cstring>

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

/// Precondition for OP_WRITE: the partial result is the one that counts.
void fold(op_access access, Type type, int dim, const std::byte* partial, void* value) {
  core::with_type(type, [&]<class T>() {
    const T* from = reinterpret_cast<const T*>(partial);
    T* to = static_cast<T*>(value);
    for (int k = 0; k < dim; ++k) to[k] = folded(access, to[k], from[k]);
  });
}

}  // namespace

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
    global.partial.assign(found, found + global.value.size());
    global.partial_access = arg.access;
    return;
  }
  core::ensure(global.partial_access == arg.access, "a global has two kinds of partial results");
  fold_partial(arg, found, global.partial.data());
}

void combine(std::span<core::Global* const> globals, comm::Communicator& communicator) {
  comm::Bytes mine;
  for (const core::Global* global : globals)
    mine.insert(mine.end(), global->partial.begin(), global->partial.end());
  if (mine.empty()) return;
  const comm::Bytes all = communicator.gather_all(mine);
  for (std::size_t at = 0; at < all.size();)
    for (core::Global* global : globals) {
      if (global->partial.empty()) continue;
      fold(global->partial_access, global->value_type, global->dim, all.data() + at,
           global->value.data());
      at += global->partial.size();
    }
  for (core::Global* global : globals) global->partial.clear();
}

}  // namespace op2::sched
