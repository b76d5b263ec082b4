// SPDX-License-Identifier: BSD-3-Clause
// Runs steps tile by tile on the threads of a pool.
#pragma once

#include <functional>
#include <vector>

#include <core/thread_pool.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/executor/cpu/loop_parts.hpp>
#include <sched/executor/cpu/make_tiles.hpp>

namespace op2::sched {

/// The time of each thread in each step of the tiles, in seconds: shape [threads x stride].
class TileTimes {
 public:
  TileTimes(std::size_t steps, int threads)
      : stride_((steps + 7) / 8 * 8 + 8),  // threads share no cache line
        seconds_(threads * stride_) {}

  double* of(int thread) { return seconds_.data() + thread * stride_; }
  /// The time of a step since the last call, averaged over the threads.
  double take(std::size_t step);

 private:
  std::size_t stride_;
  std::vector<double> seconds_;
};

/// Runs the phase of the steps for which the tiles were made. Their globals are bound.
/// @param parts          per step of the plan
/// @param bindings       per step of the plan
/// @param between_tiles  called from time to time by the calling thread; its exception is rethrown
///                       when all tiles have run
void run_tiles(const TiledSteps& tiled, const std::vector<StepParts>& parts,
               const std::vector<StepBindings>& bindings, core::ThreadPool& pool,
               const std::function<void()>& between_tiles, TileTimes& times);

}  // namespace op2::sched
