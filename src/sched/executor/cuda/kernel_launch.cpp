// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/kernel_launch.hpp>

#include <core/arithmetic.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>

namespace op2::sched {

gpu::LaunchShape shape_of(const KernelLaunch& launch) {
  return {launch.blocks, jit::block_threads};
}

std::vector<void*> addresses_of(KernelLaunch& launch) {
  std::vector<void*> addresses;
  for (LaunchParameter& parameter : launch.parameters) addresses.push_back(&parameter);
  return addresses;
}

unsigned blocks_for(std::int64_t elements, std::int64_t each) {
  return static_cast<unsigned>(core::pieces_for(elements, each));
}

void launch_on(core::Stream& stream, KernelLaunch launch) {
  gpu::launch(stream, launch.kernel, shape_of(launch), addresses_of(launch));
}

}  // namespace op2::sched
