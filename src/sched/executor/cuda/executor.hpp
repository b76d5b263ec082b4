// SPDX-License-Identifier: BSD-3-Clause
// Executes plans on one CUDA device. Dats stay there until the program asks for them.
#pragma once

#include <memory>

#include <comm/halo/distributed_mesh.hpp>
#include <comm/halo/halo_exchange.hpp>
#include <core/array.hpp>
#include <core/log.hpp>
#include <core/measurements/listener.hpp>
#include <core/options.hpp>
#include <core/thread_pool.hpp>
#include <gpu/device.hpp>
#include <gpu/module.hpp>
#include <jit/jit.hpp>
#include <sched/executor/cuda/row_buffers.hpp>
#include <sched/executor/cuda/run.hpp>
#include <sched/executor/cuda/tables.hpp>
#include <sched/executor/cuda/values.hpp>
#include <sched/executor/executor.hpp>

namespace op2::sched {

class CudaExecutor : public Executor {
 public:
  /// From now on the mesh has copies on the device. All references must outlive the executor and
  /// its prepared plans.
  /// @param jit  for the device
  /// @param pool runs loops of the host
  /// @param log  gets a warning if OP2_GPU_MPI contradicts MPI
  CudaExecutor(const core::Options& options, core::ThreadPool& pool, comm::DistributedMesh& rows,
               jit::Jit& jit, gpu::Device& device, core::Log& log,
               const core::Listeners& listeners);
  /// Downloads all dats and detaches the device.
  ~CudaExecutor() override;

  std::unique_ptr<PreparedPlan> prepare(const Plan& plan, bool repeats) override;
  bool gains_by_repetition(const Plan&) const override { return false; }
  ExecutorTraits traits() const override { return {.has_own_memory = true}; }
  void wait() override { device_.space().main_stream().wait(); }
  void forget_rows() override {
    device_.space().main_stream().settle();  // a plan that could not be prepared may have used them
    tables_.clear();
  }

 private:
  void make_pack_kernel();
  StepTimes* times();
  std::unique_ptr<comm::HaloExchange> make_exchange(const Chain& chain, const Dats& in_second);

  const core::Options& options_;
  core::ThreadPool& pool_;
  comm::DistributedMesh& rows_;
  jit::Jit& jit_;
  gpu::Device& device_;
  const bool messages_on_device_;
  core::DeviceCopies copies_;
  std::unique_ptr<core::Stream> halo_;
  DeviceTables tables_;
  CurrentConstants constants_;
  const core::Listeners& listeners_;
  std::unique_ptr<StepTimes> times_;  ///< null: nobody has asked for them
  gpu::Function pack_kernel_;         ///< empty until it is needed
};

}  // namespace op2::sched
