// SPDX-License-Identifier: BSD-3-Clause
// How a step runs on a device: the parameters of its kernels, and their launches.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <core/arithmetic.hpp>
#include <core/array.hpp>
#include <core/memory_space.hpp>
#include <gpu/module.hpp>
#include <jit/target/cuda/cuda_target.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <sched/executor/gpu/tables.hpp>
#include <sched/executor/gpu/values.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// All parameters have eight bytes: addresses and numbers.
using LaunchParameter = std::uint64_t;

inline LaunchParameter parameter_of(const void* address) {
  return reinterpret_cast<LaunchParameter>(address);
}
inline LaunchParameter parameter_of(core::DeviceAddress address) {
  return parameter_of(address.value);
}

/// In blocks of jit::block_threads.
struct KernelLaunch {
  gpu::Function kernel = nullptr;
  unsigned blocks = 0;
  std::vector<LaunchParameter> parameters;
  bool folds = false;  ///< it only folds reductions: no later step needs its results

  gpu::LaunchShape shape() const { return {blocks, jit::block_threads}; }
  /// Of the parameters, which are not changed.
  std::vector<void*> addresses() {
    std::vector<void*> all;
    for (LaunchParameter& parameter : parameters) all.push_back(&parameter);
    return all;
  }
};

/// Blocks for so many threads, or for so many elements of which a block runs `each`.
inline unsigned blocks_for(std::int64_t elements, std::int64_t each) {
  return static_cast<unsigned>(core::pieces_for(elements, each));
}

/// Queues it. @throws Error device_failure
inline void launch_on(core::Stream& stream, KernelLaunch launch) {
  gpu::launch(stream, launch.kernel, launch.shape(), launch.addresses());
}

class StepLaunch {
 public:
  /// References outlive it.
  /// @param s       the position of the step in the plan
  /// @param tables  of rows that stay where they are
  /// @param second  the dats whose rows the step finds, or leaves, in their second buffer
  /// @param ordered its code makes sums in order (jit/target/cuda/kernel_parameters.hpp)
  /// @throws Error out_of_memory, device_failure
  StepLaunch(const Plan& plan, std::size_t s, const PlanValues& values, DeviceTables& tables,
             core::DeviceCopies& copies, const std::vector<const core::Dat*>& second, bool ordered);

  /// Brings the step's dats to the device, and marks those that it writes as newer there. To be
  /// called before each launch of its kernels.
  /// @throws Error out_of_memory, device_failure
  void announce_accesses();

  /// The kernels that run the iterations of a phase, each after the one before; none if there are
  /// none.
  std::vector<KernelLaunch> kernels(Phase phase) const;

  /// Whether both reduce the same value: this step's fold must follow that of the earlier one, and
  /// so must its loop, if `reads_results`.
  bool shares_result_with(const StepLaunch& earlier) const;
  /// Whether the loop looks at values from before it: minima and maxima.
  bool reads_results() const;

  /// Whether elements add to rows themselves. Otherwise rows gather increments.
  bool adds_atomically() const { return !code_.pulls && part_sums_.empty(); }

  const Step& step() const { return step_; }
  /// How many elements of one loop a row gathers, at most, of gathered loops that add to one row
  /// each: others gather by themselves, too, as often.
  std::int64_t most_to_a_row() const;
  /// Bytes of the lists of increments that the kernels of a phase read.
  std::size_t list_bytes(Phase phase) const { return range(phase).list_bytes; }
  /// Where the step counts in the per-loop table.
  const StepRows& table_rows() const { return plan_.rows[position_]; }

 private:
  /// What the threads of a phase execute: iterations, or the positions of rows that gather.
  struct Range {
    IndexRange indices{0, 0};
    std::vector<LaunchParameter> lists;  ///< unless iterations: addresses of rows, then of the
                                         ///< start and the iterations of each loop that adds
    std::size_t list_bytes = 0;
    std::int64_t most_to_a_row = 0;
  };

  /// The kernel that adds the parts of a dat to its rows, for sums in order.
  struct PartSum {
    gpu::Function kernel;
    const core::Dat* dat;
    LaunchParameter rows, parts;           ///< addresses of the dat and of its parts
    std::array<IncrementTable, 2> tables;  ///< per phase
  };

  Range range_of(Phase phase, DeviceTables& tables) const;
  std::vector<PartSum> part_sums_of(DeviceTables& tables) const;
  void set_reductions(const PlanValues& values, core::DeviceCopies& copies);
  LaunchParameter fixed_value(const jit::KernelParameter& parameter, const PlanValues& values,
                              DeviceTables& tables) const;
  void add_part_sums(Phase phase, std::vector<KernelLaunch>& launches) const;
  const Range& range(Phase phase) const { return ranges_[phase == Phase::interior ? 0 : 1]; }

  const Plan& plan_;
  const std::size_t position_;  ///< of the step in the plan
  const Step& step_;
  const jit::CudaLoop& code_;
  const std::vector<const core::Dat*> second_;
  const std::int64_t chunk_;              ///< elements of one, if the step reduces
  const std::vector<PartSum> part_sums_;  ///< as jit::added_dats; none unless sums are in order
  const std::vector<jit::KernelParameter> parameters_;
  const std::array<Range, 2> ranges_;  ///< per phase
  std::vector<LaunchParameter>
      loop_values_;  ///< begin, end, end of those that count; then `parameters_`
  std::vector<LaunchParameter>
      fold_values_;              ///< chunks; then result and partial results per reduction
  core::ListedBuffer partials_;  ///< of all reductions, per chunk
};

}  // namespace op2::sched
