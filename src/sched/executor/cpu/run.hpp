// SPDX-License-Identifier: BSD-3-Clause
// Runs the iterations of steps on the threads of a pool: step by step, or tile by tile.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <core/thread_pool.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/executor/cpu/parts.hpp>
#include <sched/executor/cpu/slots.hpp>
#include <sched/executor/cpu/tiles.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Runs the iterations of a phase, with compiled code or with the kernels' host functions. The
/// globals of this call are bound. Throws only what a host function throws.
void run_parts(const Step& step, const StepCode& code, const StepParts& parts,
               const StepBindings& bindings, const StepSlots& slots, Phase phase,
               core::ThreadPool& pool);

/// The time of each thread in each step of the tiles, in seconds: shape [threads x stride].
class TileTimes {
 public:
  TileTimes(std::size_t steps, int threads)
      : shares_(steps),
        stride_((steps + 7) / 8 * 8 + 8),  // threads share no cache line
        seconds_(threads * stride_) {}

  double* seconds_of(int thread) { return seconds_.data() + thread * stride_; }
  /// The part of each step in the time of all threads since the last call.
  std::span<const double> take_shares();  ///< until the next call

 private:
  std::vector<double> shares_;
  std::size_t stride_;
  std::vector<double> seconds_;
};

/// What a group of steps needs to run tile by tile; owns nothing. Their globals are bound.
struct TileExecution {
  const Plan& plan;
  Phase phase;
  const TiledSteps& tiled;
  const std::vector<StepParts>& parts;        ///< per step of the plan
  const std::vector<StepBindings>& bindings;  ///< per step of the plan
  const std::vector<StepSlots>& slots;        ///< per step of the plan
  core::ThreadPool& pool;
  /// Called from time to time by the calling thread; its exception is rethrown when all tiles have
  /// run.
  std::function<void()> between_tiles;
};

/// Runs the phase for which the tiles were made.
void run_tiles(const TileExecution& execution, TileTimes& times);

}  // namespace op2::sched
