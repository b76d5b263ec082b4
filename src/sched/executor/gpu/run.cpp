// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/gpu/run.hpp>

#include <utility>

#include <core/value_type.hpp>
#include <sched/executor/gpu/launch.hpp>

namespace op2::sched {

void StepTimes::start() {
  stream_.wait();
  rows_.clear();
  timer_.restart();
  begin_ = core::Clock::now();
  timer_.set(stream_);
}

void StepTimes::end_of(const StepRows& rows) {
  rows_.push_back(&rows);
  timer_.set(stream_);
}

/// Mark k is where the k-th step begins, counted from 0.
void StepTimes::finish() {
  stream_.wait();
  double begin = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const double seconds = timer_.seconds(k, k + 1);
    rows_[k]->spend(seconds);
    for (const auto& listener : listeners_)
      listener->step_ran_on_device(rows_[k]->row->name.c_str(),
                                   begin_ + core::clock_duration(begin), seconds);
    begin += seconds;
  }
}

namespace {

bool commute(const core::LoopArg& a, const core::LoopArg& b, bool atomic) {
  const bool both_read = !a.modifies() && !b.modifies();
  const bool both_combine = atomic && a.access == b.access && core::is_combined(a.access) &&
                            a.is_indirect() && b.is_indirect();
  return both_read || both_combine;
}

/// The nodes of a step.
struct InGraph {
  const StepLaunch* step;
  gpu::Graph::Node loop{};  ///< the last one that later steps need for their rows
  gpu::Graph::Node end{};   ///< the last one, which folds reductions
};

/// What a step must follow.
struct Before {
  std::vector<gpu::Graph::Node> rows;     ///< because of the rows that it accesses
  std::vector<gpu::Graph::Node> results;  ///< because of values that both reduce
};

Before nodes_before(const StepLaunch& step, const std::vector<InGraph>& added) {
  Before before;
  for (const InGraph& earlier : added) {
    if (must_follow(step.step(), earlier.step->step(),
                    step.adds_atomically() && earlier.step->adds_atomically()))
      before.rows.push_back(earlier.loop);
    if (step.shares_result_with(*earlier.step)) before.results.push_back(earlier.end);
  }
  return before;
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
  const bool is_first = !std::exchange(has_run_, true);
  if (is_first || times_ != nullptr) return launch_each();
  if (graph_ == nullptr) make_graph();
  graph_->launch(device_.space().main_stream());
}

void DevicePhase::launch_each() {
  if (times_ != nullptr) times_->start();
  for (const StepLaunch* step : steps_) {
    for (KernelLaunch& launch : step->kernels(phase_))
      launch_on(device_.space().main_stream(), std::move(launch));
    if (times_ != nullptr) times_->end_of(step->table_rows());
  }
  if (times_ != nullptr) times_->finish();
}

void DevicePhase::make_graph() {
  auto graph = std::make_unique<gpu::Graph>(device_);
  std::vector<InGraph> added;
  for (const StepLaunch* step : steps_) {
    std::vector<KernelLaunch> launches = step->kernels(phase_);
    if (launches.empty()) continue;
    const auto [rows, results] = nodes_before(*step, added);
    std::vector<gpu::Graph::Node> after = rows;
    InGraph nodes{step};
    for (KernelLaunch& launch : launches) {
      if (launch.folds || step->reads_results())
        std::ranges::copy(results, std::back_inserter(after));
      nodes.end = graph->add(launch.kernel, shape_of(launch), addresses_of(launch), after);
      if (!launch.folds) nodes.loop = nodes.end;
      after = {nodes.end};
    }
    added.push_back(nodes);
  }
  graph->finish();
  graph_ = std::move(graph);
}

}  // namespace op2::sched
