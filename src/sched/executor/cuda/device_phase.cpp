// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/device_phase.hpp>

#include <utility>

#include <sched/executor/cuda/kernel_launch.hpp>

namespace op2::sched {
namespace {

bool commute(const core::LoopArg& a, const core::LoopArg& b, bool atomic) {
  const bool both_read = !a.modifies() && !b.modifies();
  const bool both_add =
      atomic && a.access == OP_INC && b.access == OP_INC && a.is_indirect() && b.is_indirect();
  return both_read || both_add;
}

}  // namespace

bool must_follow(const Step& later, const Step& earlier, bool atomic) {
  for (const core::LoopArg& b : later.args)
    for (const core::LoopArg& a : earlier.args)
      if (a.is_active_dat() && b.is_active_dat() && a.dat == b.dat && !commute(a, b, atomic))
        return true;
  return false;
}

void DevicePhase::run() {
  for (StepLaunch* step : steps_) step->announce_accesses();
  if (times_ != nullptr) return launch_each_timed();
  if (!std::exchange(has_run_, true)) return launch_each();
  if (graph_ == nullptr) make_graph();
  graph_->launch(device_.space().main_stream());
}

void DevicePhase::launch(const StepLaunch& step) {
  for (KernelLaunch& launch : step.kernels(phase_))
    launch_on(device_.space().main_stream(), std::move(launch));
}

void DevicePhase::launch_each() {
  for (const StepLaunch* step : steps_) launch(*step);
}

void DevicePhase::launch_each_timed() {
  times_->start();
  for (const StepLaunch* step : steps_) {
    launch(*step);
    times_->end_of(step->table_rows());
  }
  times_->finish();
}

void DevicePhase::make_graph() {
  auto graph = std::make_unique<gpu::Graph>(device_);
  struct Added {
    const StepLaunch* step;
    gpu::Graph::Node last;  ///< whose results later steps need; what folds reductions is behind it
  };
  std::vector<Added> added;
  for (const StepLaunch* step : steps_) {
    std::vector<gpu::Graph::Node> after;
    for (const Added& earlier : added)
      if (must_follow(step->step(), earlier.step->step(),
                      step->adds_atomically() && earlier.step->adds_atomically()))
        after.push_back(earlier.last);
    std::vector<KernelLaunch> launches = step->kernels(phase_);
    gpu::Graph::Node last{};
    for (KernelLaunch& launch : launches) {
      after = {graph->add(launch.kernel, shape_of(launch), addresses_of(launch), after)};
      if (!launch.folds) last = after.front();
    }
    if (!launches.empty()) added.push_back({step, last});
  }
  graph->finish();
  graph_ = std::move(graph);
}

}  // namespace op2::sched
