// SPDX-License-Identifier: BSD-3-Clause
// A step that a device cannot run, in the middle of a plan that runs there: on one thread of the
// host, on the host's copies of its dats.
#pragma once

#include <cstddef>

#include <core/queue.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

class HostStep {
 public:
  HostStep(const Step& step, const StepCode& code)
      : step_(step), code_(code), bindings_(bind(step, 1, true)) {}

  /// Binds the globals of a call; once per call, before its first iterations.
  void start(core::Queue& queue) { bind_globals(step_, queue, bindings_); }
  /// Waits for the device, brings the step's dats to the host and runs the iterations of a phase.
  /// @throws what a host function throws, Error device_failure
  void run(Phase phase);
  std::byte* collect(const GlobalArg& reduction) const { return bindings_.partial(reduction, 0); }

 private:
  const Step& step_;
  const StepCode& code_;
  StepBindings bindings_;
};

}  // namespace op2::sched
