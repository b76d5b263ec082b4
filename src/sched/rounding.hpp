// SPDX-License-Identifier: BSD-3-Clause
// How threads round in the reproducible mode: to nearest, with denormal numbers.
#pragma once

#include <core/queue.hpp>
#include <core/thread_pool.hpp>

namespace op2::sched {

/// Workers may have been started while the program rounded in another way.
void let_workers_round_to_nearest(core::ThreadPool& pool);

/// Of the calling thread, before it executes these loops.
/// @throws Error bad_option, which is this rank's alone
void check_rounding(const core::Queue& queue);

}  // namespace op2::sched
