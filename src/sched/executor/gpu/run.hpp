// SPDX-License-Identifier: BSD-3-Clause
// Runs neighbouring steps of one phase on a device, without a step of the host between them: kernel
// by kernel at first; one graph from the second time on, in which kernels that share no data may
// run side by side. If they are timed, always kernel by kernel.
#pragma once

#include <memory>
#include <vector>

#include <core/measurements/listener.hpp>
#include <gpu/module.hpp>
#include <gpu/space.hpp>
#include <sched/executor/gpu/launch.hpp>
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

class DevicePhase {
 public:
  /// @param steps  in their order; outlive it, as does the device
  /// @param times  where the time of the steps is added up; null: nowhere
  DevicePhase(gpu::Device& device, std::vector<StepLaunch*> steps, Phase phase, StepTimes* times)
      : device_(device), steps_(std::move(steps)), phase_(phase), times_(times) {}

  /// Queues the iterations of the phase on the main stream.
  /// @throws Error out_of_memory, device_failure
  void run();

 private:
  void launch_each();
  void make_graph();

  gpu::Device& device_;
  std::vector<StepLaunch*> steps_;
  Phase phase_;
  StepTimes* times_;
  bool has_run_ = false;
  std::unique_ptr<gpu::Graph> graph_;
};

/// Whether a step must run after an earlier one: they access the same dat, and not only to
/// increment it through maps, which commutes if both do it atomically.
bool must_follow(const Step& later, const Step& earlier, bool atomic);

}  // namespace op2::sched
