// SPDX-License-Identifier: BSD-3-Clause
// The globals of a plan on a device: per chain one block with the results of its reductions, then
// the values that its loops read. One copy brings a chain's values there before it runs, one brings
// its results back.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <core/memory_space.hpp>
#include <core/queue.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

class PlanValues {
 public:
  /// @param space, plan  outlive it
  /// @param on_device    per step: whether its globals are here
  /// @throws std::bad_alloc, Error device_failure
  PlanValues(core::MemorySpace& space, const Plan& plan, const std::vector<bool>& on_device);

  /// Addresses on the device, shape [dim]; constant.
  core::DeviceAddress result(std::size_t step, const GlobalArg& reduction) const;
  core::DeviceAddress read(std::size_t step, std::size_t k) const;  ///< of the step's k-th read

  /// Queues the upload of the values that the chain's loops see in this call, and the start of its
  /// results. Waits for the previous call to have read its own.
  void upload(std::size_t chain, core::Queue& queue);
  /// Queues the download of the chain's results.
  void download(std::size_t chain);
  /// A result of the last download; waits for it. Valid until the next upload of the chain.
  std::byte* collect(std::size_t chain, std::size_t step, const GlobalArg& reduction);

 private:
  struct Block {
    std::size_t begin = 0, results_end = 0, end = 0;  ///< in bytes of the memory
    std::unique_ptr<core::Event> uploaded, downloaded;
  };
  void place(const Plan& plan, const std::vector<bool>& on_device);
  void fill(std::size_t step, core::Queue& queue);

  core::MemorySpace& space_;
  const Plan& plan_;
  std::vector<bool> on_device_;
  std::vector<Block> blocks_;                    ///< per chain
  std::vector<std::size_t> results_;             ///< per step: where its results begin
  std::vector<std::vector<std::size_t>> reads_;  ///< per step and read
  std::vector<StepBindings> on_host_;            ///< per step: values before they are uploaded
  std::size_t bytes_ = 0;
  core::DeviceBuffer device_;
  core::PinnedBuffer going_, coming_;
};

}  // namespace op2::sched
