// SPDX-License-Identifier: BSD-3-Clause
#include <sched/reduction.hpp>

#include <algorithm>
#include <cstring>

#include <core/value_type.hpp>

namespace op2::sched {
namespace {

template <class T>
T folded(op_access access, T value, T partial) {
  if (access == OP_MIN) return std::min(value, partial);
  if (access == OP_MAX) return std::max(value, partial);
  return static_cast<T>(value + partial);
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
  core::with_type(arg.type, [&]<class T>() {
    const T* from = reinterpret_cast<const T*>(partial);
    T* to = static_cast<T*>(value);
    for (int k = 0; k < arg.dim; ++k) to[k] = folded(arg.access, to[k], from[k]);
  });
}

}  // namespace op2::sched
