// SPDX-License-Identifier: BSD-3-Clause
// How long steps take on the device, for the per-loop table and listeners.
#pragma once

#include <vector>

#include <core/measurements/listener.hpp>
#include <gpu/timer.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Between `start` and `finish` nothing else is queued on the main stream.
class StepTimes {
 public:
  /// All references outlive it.
  StepTimes(gpu::Device& device, const core::Listeners& listeners)
      : stream_(device.space().main_stream()), listeners_(listeners), timer_(device) {}

  /// Waits for all earlier work. @throws Error device_failure, as all functions
  void start();
  /// The kernels queued since `start`, or since the last call, are those of a step.
  /// @param rows  where it counts
  void end_of(const StepRows& rows);
  /// Waits for the kernels and adds up what they have taken.
  void finish();

 private:
  core::Stream& stream_;
  const core::Listeners& listeners_;
  gpu::Timer timer_;
  core::Clock::time_point begin_;
  std::vector<const StepRows*> rows_;  ///< of steps since `start`
};

}  // namespace op2::sched
