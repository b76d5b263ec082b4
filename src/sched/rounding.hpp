// SPDX-License-Identifier: BSD-3-Clause
// The floating-point environment of the threads that execute loops, which programs and -ffast-math
// may change: how they round, and which operations trap. A program that enables traps
// (feenableexcept) is ended by an operation that divides by zero, overflows or has no result.
#pragma once

#include <cfenv>

#include <core/queue.hpp>
#include <core/thread_pool.hpp>

namespace op2::sched {

/// Of the reproducible mode: to nearest, with denormal numbers. Workers may have been started while
/// the program rounded in another way.
void let_workers_round_to_nearest(core::ThreadPool& pool);

/// Of the calling thread, before it executes these loops, in the reproducible mode.
/// @throws Error bad_option, which is this rank's alone
void check_rounding(const core::Queue& queue);

/// The floating-point exceptions that trap in this thread; 0: none. Cost: a few instructions.
inline int float_traps() {
  const int traps = fegetexcept();
  return traps > 0 ? traps : 0;
}

/// Floating-point exceptions that trap in the calling thread trap in the workers, too.
/// @param known  those that do so already; updated
void let_workers_trap(core::ThreadPool& pool, int& known);

}  // namespace op2::sched
