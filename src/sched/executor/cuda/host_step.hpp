// SPDX-License-Identifier: BSD-3-Clause
// A step that a device cannot run, in the middle of a plan that runs there: by the host, on the
// host's copies of its dats.
#pragma once

#include <cstddef>

#include <core/mesh.hpp>
#include <core/queue.hpp>
#include <core/thread_pool.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/executor/cpu/loop_parts.hpp>
#include <sched/executor/cpu/slots.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

class HostStep {
 public:
  /// References outlive it.
  /// @param reproducible  on all threads, with sums in the canonical order; otherwise on one
  HostStep(const Step& step, const StepCode& code, const core::Mesh& mesh, core::ThreadPool& pool,
           bool reproducible);

  /// Binds the globals of a call; once per call, before its first iterations.
  void start(core::Queue& queue) { bind_globals(step_, queue, bindings_); }
  /// Waits for the device, brings the step's dats to the host and runs the iterations of a phase.
  /// @throws what a host function throws, Error device_failure
  void run(Phase phase);
  /// After the iterations of both phases, before `collect`.
  void finish() { fold_threads(step_, bindings_); }
  std::byte* collect(const GlobalArg& reduction) const { return bindings_.partial(reduction, 0); }

 private:
  const Step& step_;
  const StepCode& code_;
  core::ThreadPool& pool_;
  const StepParts parts_;
  const PlanSlots slots_;  ///< of this step alone
  StepBindings bindings_;
};

}  // namespace op2::sched
