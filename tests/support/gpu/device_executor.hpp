// SPDX-License-Identifier: BSD-3-Clause
// Executes plans on an emulated device: dats stay there, the CPU's code runs as kernels, halos are
// packed there.
#pragma once

#include <map>
#include <memory>

#include <comm/halo/distributed_mesh.hpp>
#include <core/array.hpp>
#include <core/options.hpp>
#include <sched/executor/executor.hpp>

#include "device_space.hpp"

namespace op2::test::gpu {

/// Global indices of the rows of sets, on the device.
class DeviceIndices {
 public:
  explicit DeviceIndices(core::MemorySpace& space) : space_(space) {}
  /// Null if the rows of the set are in the order of the declaration.
  const std::int32_t* of(const core::Set& set);
  void clear();

 private:
  core::MemorySpace& space_;
  std::map<const core::Set*, core::DeviceBuffer> indices_;
};

class DeviceExecutor : public sched::Executor {
 public:
  /// Gives the arrays of the mesh a copy on the device, for the life of the executor.
  /// @param rows, device  outlive the executor and what it prepares
  DeviceExecutor(core::Grouping grouping, comm::DistributedMesh& rows, Device& device);
  ~DeviceExecutor() override;

  std::unique_ptr<sched::PreparedPlan> prepare(const sched::Plan& plan, bool repeats) override;
  bool gains_by_repetition(const sched::Plan&) const override { return false; }
  void wait() override { space_.main_stream().wait(); }
  void forget_rows() override { indices_.clear(); }

 private:
  core::Grouping grouping_;
  comm::DistributedMesh& rows_;
  DeviceSpace space_;
  core::DeviceCopies copies_{space_};
  std::unique_ptr<core::Stream> halo_ = space_.make_stream();
  DeviceIndices indices_{space_};
};

}  // namespace op2::test::gpu
