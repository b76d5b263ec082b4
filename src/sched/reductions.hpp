// SPDX-License-Identifier: BSD-3-Clause
// Partial results of global reductions: one block per thread, combined in the order of the threads;
// one per rank, combined exactly, so that the order of ranks does not matter.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>

#include <comm/messages/communicator.hpp>
#include <comm/messages/reduce_values.hpp>
#include <core/queue.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Of equal zeros -0 is less.
template <class T>
bool is_less(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  else
    return a < b;
}

/// How ranks combine partial results of OP_INC, OP_MIN or OP_MAX.
comm::Fold fold_of(op_access access);

/// The initial partial result: zeros for OP_INC, otherwise the value before the loop, because
/// kernels may compare with it.
/// @param before  value before the loop, shape [dim]
void start_partial(const core::LoopArg& arg, const void* before, std::byte* partial);

/// Folds a partial result into the value.
void fold_partial(const core::LoopArg& arg, const std::byte* partial, void* value,
                  comm::Nan nan = comm::Nan::loses);

/// The partial result of the global on this rank, shape [dim], which the caller overwrites: from
/// now on there is one, of this operation.
core::Array& start_lazy_partial(const core::LoopArg& arg, core::Global& global, comm::Nan nan);

/// Adds a loop's result on this rank to the rank's partial result of the global. Local. A partial
/// result of another operation must be combined before.
void add_to_partial(const core::LoopArg& arg, const std::byte* found, core::Global& global,
                    comm::Nan nan = comm::Nan::loses);

/// Gives a global its value on the only rank. Local.
void settle(core::Global& global);

/// Combines the values of globals, each given once, over the ranks. Collective: one reduction for
/// all of them, none if nothing was reduced since.
void combine(std::span<core::Global* const> globals, comm::Communicator& communicator);

/// Whether results of ranks are combined by messages.
inline bool sends_messages(const comm::Communicator& communicator) {
  return communicator.size() > 1;
}

/// This rank's result for a reduction of a step, see PreparedPlan::collect.
using Collect = std::function<std::byte*(const GlobalArg&)>;

/// Raw globals get their final value: collective if the step has any. Lazy ones are combined over
/// the ranks when their value is needed.
void finish_reductions(const Step& step, const core::Queue& queue, comm::Communicator& communicator,
                       const Collect& collect);

}  // namespace op2::sched
