// SPDX-License-Identifier: BSD-3-Clause
// Partial results of global reductions: one block per thread, combined in the order of the threads.
#pragma once

#include <cstddef>

#include <core/loop_record.hpp>

namespace op2::sched {

/// Start of a partial result: zeros for OP_INC, else the value before the loop, because kernels
/// may compare with it.
/// @param before  value before the loop, shape [dim]
void start_partial(const core::LoopArg& arg, const void* before, std::byte* partial);

/// Folds a partial result into the value.
void fold_partial(const core::LoopArg& arg, const std::byte* partial, void* value);

}  // namespace op2::sched
