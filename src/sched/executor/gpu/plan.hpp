// SPDX-License-Identifier: BSD-3-Clause
// A plan on a device: its loops are queued on one stream, without a wait between them; what the
// device cannot run, the host runs in between.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <core/measurements/listener.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <core/thread_pool.hpp>
#include <gpu/device.hpp>
#include <sched/executor/executor.hpp>
#include <sched/executor/gpu/launch.hpp>
#include <sched/executor/gpu/row_buffers.hpp>
#include <sched/executor/gpu/run.hpp>
#include <sched/executor/gpu/values.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

class HostStep;

/// What the plans of an executor share; all references outlive it.
struct GpuShared {
  const core::Options& options;
  gpu::Device& device;
  const core::Mesh& mesh;
  core::ThreadPool& pool;  ///< for what the host runs
  const core::Listeners& listeners;
  core::DeviceCopies copies{device.space()};
  DeviceTables tables{copies, mesh};
  CurrentConstants constants{copies};
  std::unique_ptr<StepTimes> times{};  ///< null: steps are not timed
};

class GpuPlan : public PreparedPlan {
 public:
  /// @param buffers  choose_row_buffers of the plan
  /// @param shared   outlives it
  GpuPlan(const Plan& plan, Exchanges exchanges, RowBuffers buffers, GpuShared& shared);
  ~GpuPlan() override;

  void pack_and_start(std::size_t chain, std::uint64_t fingerprint) override;
  void run(std::size_t chain, Phase phase, core::Queue& queue, const Finished& finished) override;
  void finish_and_unpack(std::size_t chain) override;
  std::byte* collect(std::size_t step, const GlobalArg& reduction) override;
  std::vector<std::size_t> steps_with_high_degree_rows() const override;

 private:
  void start(std::size_t chain, core::Queue& queue);
  void send(std::size_t chain);
  void make_steps();
  void find_constants();
  void add_phase(std::size_t chain, Phase phase);
  void count(std::size_t chain, Phase phase) const;
  void bring_rows_back();
  void run_on_host(std::size_t step, Phase phase);
  std::string how_step_runs(std::size_t step) const override;

  GpuShared& shared_;
  PlanValues values_;
  const RowBuffers buffers_;
  std::vector<std::unique_ptr<StepLaunch>> launches_;      ///< per step; null unless on the device
  std::vector<std::unique_ptr<HostStep>> host_steps_;      ///< per step; null unless on the host
  std::vector<CurrentConstants::Modules> with_constants_;  ///< per chain, of steps on the device
  /// What runs in a phase of a chain, in this order: neighbouring steps of the device, or one of
  /// the host.
  struct Part {
    std::unique_ptr<DevicePhase> on_device;  ///< null: on the host
    std::size_t step = 0;                    ///< of the host
  };
  std::vector<std::vector<Part>> interior_, boundary_;  ///< per chain
};

}  // namespace op2::sched
