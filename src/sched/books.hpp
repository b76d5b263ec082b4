// SPDX-License-Identifier: BSD-3-Clause
// The pass that finds the rows of the per-loop table in which the steps of a plan count.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include <core/log.hpp>
#include <core/loop_table.hpp>
#include <core/queue.hpp>
#include <sched/plan.hpp>
#include <sched/policy/chain_model.hpp>

namespace op2::sched {

class Books {
 public:
  /// All references must outlive it.
  Books(core::LoopTable& table, core::Log& log) : table_(table), log_(log) {}

  /// The rows of each step, by the names of its loops; fused loops have a row "a+b".
  /// @param descriptions  per step: how it is executed, for the column "code"
  std::vector<StepRows> open(const core::Queue& queue, const Steps& steps,
                             const std::vector<std::string>& descriptions);

 private:
  void check_name(const core::LoopRecord& loop);

  core::LoopTable& table_;
  core::Log& log_;
  std::map<std::string, op_kernel> kernels_;  ///< by the names of loops
};

/// Notes in the rows of steps the keys of their code, by which op2-jitinspect shows it, and what
/// arithmetic it executes.
void note_code(std::span<StepRows> rows, std::span<const StepCode> code);

/// Counts the iterations of a phase of a step. To be called when they have run, before the clock is
/// read: a model of a network has computation take the time that counted iterations cost.
void count_iterations(const StepRows& rows, Phase phase, Way way);

/// Adds what a phase of a step has taken.
void charge(const StepRows& rows, Phase phase, Way way, double seconds);

}  // namespace op2::sched
