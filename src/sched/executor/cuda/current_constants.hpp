// SPDX-License-Identifier: BSD-3-Clause
// Constants in the modules of a device: kernels read copies there, programs change theirs here.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <vector>

#include <core/memory_space.hpp>
#include <jit/target/cuda/cuda_loop.hpp>

namespace op2::sched {

class CurrentConstants {
 public:
  explicit CurrentConstants(core::MemorySpace& space) : space_(space) {}

  /// Gives the module's constants the values that the program's have now, behind all queued work.
  /// Cost: a comparison of their bytes; a copy of those that have changed.
  void update(const jit::CudaLoop& code);

 private:
  core::MemorySpace& space_;
  std::map<core::DeviceAddress, std::vector<std::byte>> uploaded_;
};

}  // namespace op2::sched
