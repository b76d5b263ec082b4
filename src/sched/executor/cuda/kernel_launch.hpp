// SPDX-License-Identifier: BSD-3-Clause
// One launch of a kernel with the values of its parameters.
#pragma once

#include <cstdint>
#include <vector>

#include <core/memory_space.hpp>
#include <gpu/launch.hpp>
#include <gpu/module.hpp>

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
  gpu::Function kernel;
  unsigned blocks = 0;
  std::vector<LaunchParameter> parameters;
  bool folds = false;  ///< it only folds reductions: no later step needs its results
};

gpu::LaunchShape shape_of(const KernelLaunch& launch);

/// Addresses of the parameters, which are not changed; valid as long as `launch` is.
std::vector<void*> addresses_of(KernelLaunch& launch);

/// Blocks for so many threads, or for so many elements of which a block runs `each`.
unsigned blocks_for(std::int64_t elements, std::int64_t each);

/// Queues it. @throws Error device_failure
void launch_on(core::Stream& stream, KernelLaunch launch);

}  // namespace op2::sched
