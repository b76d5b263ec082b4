// SPDX-License-Identifier: BSD-3-Clause
// What a step adds to rows through maps, for sums in order (jit/target/cuda/ordered_sums.hpp): its
// kernel stores parts; after each phase, rows that have all their parts add them.
#pragma once

#include <array>
#include <vector>

#include <jit/target/cuda/cuda_loop.hpp>
#include <sched/executor/cuda/device_tables.hpp>
#include <sched/executor/cuda/kernel_launch.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

class StepSums {
 public:
  StepSums() = default;
  /// References outlive it. @throws Error too_large, out_of_memory, device_failure
  StepSums(const Step& step, const jit::CudaLoop& code, DeviceTables& tables);

  bool any() const { return !gathers_.empty(); }

  /// The address of the parts of a dat.
  LaunchParameter parts_of(const core::Dat& dat) const;

  /// Adds the kernels of a phase, one for each dat, to be launched after the step's own.
  void add_kernels(Phase phase, std::vector<KernelLaunch>& launches) const;

 private:
  struct Gather {
    gpu::Function kernel;
    const core::Dat* dat;
    LaunchParameter rows, parts;      ///< addresses of the dat and of its parts
    std::array<PartTable, 2> tables;  ///< per phase
  };
  std::vector<Gather> gathers_;  ///< in the order of jit::added_dats
};

}  // namespace op2::sched
