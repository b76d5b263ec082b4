// SPDX-License-Identifier: BSD-3-Clause
// The loops of a step in one call, for the report of a crash.
#pragma once

#include <core/crash_report.hpp>
#include <core/queue.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

class RunningStep final : public core::RunningCode {
 public:
  RunningStep() = default;
  /// Both must outlive the running of the step.
  RunningStep(const Step& step, const core::Queue& queue) : step_(&step), queue_(&queue) {}

  /// "loop 'flow' (flow.cpp:12)", and the others of a fused step.
  void describe(core::SignalText& text) const override {
    const char* separator = "";
    for (const KernelUse& use : step_->kernels) {
      const core::LoopRecord& loop = queue_->records()[use.record];
      text << separator << "loop '" << loop.name << "' (" << loop.where.file << ":"
           << static_cast<std::uint64_t>(loop.where.line) << ")";
      separator = " or ";
    }
  }

 private:
  const Step* step_ = nullptr;
  const core::Queue* queue_ = nullptr;
};

}  // namespace op2::sched
