// SPDX-License-Identifier: BSD-3-Clause
// What steps add to the per-loop table, and the pass that finds the rows in which those of a plan
// count.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <core/log.hpp>
#include <core/measurements/measurements.hpp>
#include <core/queue.hpp>
#include <sched/plan.hpp>
#include <sched/policy/cost_history.hpp>

namespace op2::sched {

class LoopStatistics {
 public:
  /// All references must outlive it.
  LoopStatistics(core::LoopTable& table, core::Log& log) : table_(table), log_(log) {}

  /// Finds the rows of each step, by the names of its loops; fused loops have a row "a+b".
  /// @param descriptions  per step: how it is executed, for the column "code"
  /// @param plan          has its steps and their code
  void register_steps(const core::Queue& queue, const std::vector<std::string>& descriptions,
                      Plan& plan);

 private:
  void check_name(const core::LoopRecord& loop);

  core::LoopTable& table_;
  core::Log& log_;
  std::map<std::string, op_kernel> kernels_;  ///< by the names of loops
};

/// Counts the iterations of a phase of a step. To be called when they have run, before the clock is
/// read: a model of a network has computation take the time that counted iterations cost.
void count_iterations(const StepRows& rows, Phase phase, Way way);

/// Adds what a phase of a step has taken on the CPU, and tells listeners.
void add_time(const StepRows& rows, Phase phase, Way way, double seconds,
              const core::Listeners& listeners);

}  // namespace op2::sched
