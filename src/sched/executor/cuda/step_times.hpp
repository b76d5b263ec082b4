// SPDX-License-Identifier: BSD-3-Clause
// How long steps take on the device, for the per-loop table, traces and tools.
#pragma once

#include <vector>

#include <core/tools.hpp>
#include <core/trace.hpp>
#include <gpu/timer.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Between `start` and `finish` nothing else is queued on the main stream.
class StepTimes {
 public:
  /// All references outlive it.
  /// @param tools  null: none
  StepTimes(gpu::Device& device, core::Trace& trace, const core::Tools* tools)
      : stream_(device.space().main_stream()), trace_(trace), tools_(tools), timer_(device) {}

  /// Waits for all earlier work. @throws Error device_failure, as all functions
  void start();
  /// The kernels queued since `start`, or since the last call, are those of a step.
  /// @param rows  where it counts
  void end_of(const StepRows& rows);
  /// Waits for the kernels and adds up what they have taken.
  void finish();

 private:
  core::Stream& stream_;
  core::Trace& trace_;
  const core::Tools* tools_;
  gpu::Timer timer_;
  core::Clock::time_point begin_;
  std::vector<const StepRows*> rows_;  ///< of steps since `start`
};

}  // namespace op2::sched
