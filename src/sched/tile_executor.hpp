// SPDX-License-Identifier: BSD-3-Clause
// Runs loops tile by tile on the threads of a pool.
#pragma once

#include <functional>

#include <core/queue.hpp>
#include <core/thread_pool.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Runs the half of the loops for which the tiles were made; their globals are bound. Books the
/// time in TiledLoops::seconds.
/// @param between_tiles  called now and then by the calling thread; what it throws leaves when all
///                       tiles have run
void run_tiles(TiledLoops& tiled, const Plan& plan, core::ThreadPool& pool,
               const std::function<void()>& between_tiles);

/// What a loop of the tiles has needed since the last question, on average over the threads.
double take_seconds(TiledLoops& tiled, std::size_t loop);

}  // namespace op2::sched
