// SPDX-License-Identifier: BSD-3-Clause
// Where a step finds its globals on an emulated device: partial results of its reductions, followed
// by the values that it reads.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <core/memory_space.hpp>
#include <core/queue.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/plan.hpp>

#include "device.hpp"

namespace op2::test::gpu {

class StepBlock {
 public:
  /// @param space, step  outlive it
  StepBlock(core::MemorySpace& space, const sched::Step& step);

  /// Uploads the values of a call and the start of partial results, on the main stream. The host
  /// has waited for the call before.
  void start(core::Queue& queue);
  /// Downloads partial results; behind all work of the main stream.
  std::byte* collect(const sched::GlobalArg& reduction);

  /// Bindings of one thread for iterations that count, and for those that do not, with blocks on
  /// the host, in which nothing but globals that are read is bound. All addresses are the device's.
  std::vector<core::ArgBinding> bound_reads() const;
  bool empty() const { return bytes_ == 0; }
  /// Partial results, of iterations that count and of those that do not.
  std::byte* partials() const { return device_.get().value; }
  std::size_t partial_bytes() const { return 2 * step_.block_bytes; }
  Access access() const { return {device_.get().value, bytes_, Mode::read_write}; }

 private:
  core::MemorySpace& space_;
  const sched::Step& step_;
  std::vector<std::size_t> reads_;  ///< per global that is read: where its value is
  std::size_t bytes_ = 0;
  sched::StepBindings on_host_;  ///< of the values before they are uploaded
  core::DeviceBuffer device_;
  core::PinnedBuffer going_, coming_;
};

}  // namespace op2::test::gpu
