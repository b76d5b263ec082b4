// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/launch.hpp>

#include <gpu/cuda_stream.hpp>

namespace op2::gpu {

void launch(core::Stream& stream, const Function& function, const LaunchShape& shape,
            std::span<void* const> parameters) {
  if (shape.blocks == 0) return;
  const CudaStream& queue = cuda_stream(stream);
  queue.driver().call(&DriverApi::launch, function.handle(), shape.blocks, 1U, 1U, shape.threads,
                      1U, 1U, 0U, queue.handle(), const_cast<void**>(parameters.data()),
                      static_cast<void**>(nullptr));
}

}  // namespace op2::gpu
