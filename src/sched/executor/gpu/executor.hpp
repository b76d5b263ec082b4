// SPDX-License-Identifier: BSD-3-Clause
// Executes plans on one GPU. Dats stay there until the program asks for them.
#pragma once

#include <memory>

#include <comm/halo/distributed_mesh.hpp>
#include <core/log.hpp>
#include <core/measurements/listener.hpp>
#include <core/options.hpp>
#include <core/thread_pool.hpp>
#include <gpu/device.hpp>
#include <gpu/module.hpp>
#include <jit/jit.hpp>
#include <sched/executor/executor.hpp>
#include <sched/executor/gpu/plan.hpp>

namespace op2::sched {

class GpuExecutor : public Executor {
 public:
  /// From now on the mesh has copies on the device. All references must outlive the executor and
  /// its prepared plans.
  /// @param jit  for the device
  /// @param pool runs loops of the host
  /// @param log  gets a warning if OP2_GPU_MPI contradicts MPI
  GpuExecutor(const core::Options& options, core::ThreadPool& pool, comm::DistributedMesh& rows,
              jit::Jit& jit, gpu::Device& device, core::Log& log, const core::Listeners& listeners);
  /// Downloads all dats and detaches the device.
  ~GpuExecutor() override;

  std::unique_ptr<PreparedPlan> prepare(const Plan& plan, bool repeats) override;
  bool gains_by_repetition(const Plan&) const override { return false; }
  ExecutorTraits traits() const override { return {.has_own_memory = true}; }
  void wait() override { main_stream().wait(); }
  void forget_rows() override {
    main_stream().settle();  // a plan that could not be prepared may have used them
    shared_.tables.clear();
  }

 private:
  core::Stream& main_stream() const { return shared_.device.space().main_stream(); }
  void make_pack_kernel();
  void time_steps();

  GpuShared shared_;
  comm::DistributedMesh& rows_;
  jit::Jit& jit_;
  const bool messages_on_device_;
  std::unique_ptr<core::Stream> halo_;
  gpu::Function pack_kernel_ = nullptr;  ///< null until it is needed
};

}  // namespace op2::sched
