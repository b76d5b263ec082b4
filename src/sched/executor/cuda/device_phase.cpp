// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/device_phase.hpp>

#include <algorithm>
#include <utility>

#include <gpu/launch.hpp>

namespace op2::sched {
namespace {

gpu::LaunchShape shape_of(const KernelLaunch& launch) {
  return {launch.blocks, jit::block_threads, 0};
}

std::vector<void*> addresses_of(KernelLaunch& launch) {
  std::vector<void*> addresses;
  for (LaunchParameter& parameter : launch.parameters) addresses.push_back(&parameter);
  return addresses;
}

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

/// How often dats of the steps have moved.
std::uint64_t DevicePhase::announce_accesses() {
  std::uint64_t moves = 0;
  for (StepLaunch* step : steps_)
    if (!step->step().rows(phase_).empty()) moves += step->announce_accesses();
  return moves;
}

void DevicePhase::run() {
  const std::uint64_t known = std::exchange(moves_, announce_accesses());
  if (known != moves_) {
    if (graph_ != nullptr) device_.space().main_stream().wait();
    graph_.reset();
    runs_ = 0;
  }
  if (times_ != nullptr) return launch_each_timed();
  if (runs_++ == 0) return launch_each();
  if (graph_ == nullptr) make_graph();
  graph_->launch(device_.space().main_stream());
}

void DevicePhase::launch(const StepLaunch& step) {
  for (KernelLaunch& launch : step.kernels(phase_))
    gpu::launch(device_.space().main_stream(), launch.kernel, shape_of(launch),
                addresses_of(launch));
}

void DevicePhase::launch_each() {
  for (const StepLaunch* step : steps_) launch(*step);
}

void DevicePhase::launch_each_timed() {
  times_->start();
  for (const StepLaunch* step : steps_) {
    launch(*step);
    times_->end_of(step->row());
  }
  times_->finish();
}

void DevicePhase::make_graph() {
  auto graph = std::make_unique<gpu::Graph>(device_);
  struct Added {
    const StepLaunch* step;
    gpu::Graph::Node loop;  ///< whose results later steps need; what folds reductions is behind it
  };
  std::vector<Added> added;
  for (const StepLaunch* step : steps_) {
    std::vector<gpu::Graph::Node> after;
    for (const Added& earlier : added)
      if (must_follow(step->step(), earlier.step->step(), !step->pulls() && !earlier.step->pulls()))
        after.push_back(earlier.loop);
    std::vector<KernelLaunch> launches = step->kernels(phase_);
    for (std::size_t k = 0; k < launches.size(); ++k) {
      const gpu::Graph::Node node =
          graph->add(launches[k].kernel, shape_of(launches[k]), addresses_of(launches[k]), after);
      if (k == 0) added.push_back({step, node});
      after = {node};
    }
  }
  graph->finish();
  graph_ = std::move(graph);
}

std::size_t DevicePhase::kernels() const {
  std::size_t count = 0;
  for (const StepLaunch* step : steps_) count += step->kernels(phase_).size();
  return count;
}

}  // namespace op2::sched
