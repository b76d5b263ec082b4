// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/launch.hpp>

#include <gpu/cuda_stream.hpp>

namespace op2::gpu {
namespace {

constexpr unsigned shared_bytes_of_every_kernel = 48U << 10;

}  // namespace

void allow_shared_bytes(const Driver& driver, const Function& function, const LaunchShape& shape) {
  if (shape.shared_bytes <= shared_bytes_of_every_kernel) return;
  driver.call(&DriverApi::function_set_attribute, function.handle(),
              FunctionAttribute::max_dynamic_shared_bytes, static_cast<int>(shape.shared_bytes));
}

void launch(core::Stream& stream, const Function& function, const LaunchShape& shape,
            std::span<void* const> parameters) {
  if (shape.blocks == 0) return;
  const CudaStream& queue = cuda_stream(stream);
  allow_shared_bytes(queue.driver(), function, shape);
  queue.driver().call(&DriverApi::launch, function.handle(), shape.blocks, 1U, 1U, shape.threads,
                      1U, 1U, shape.shared_bytes, queue.handle(),
                      const_cast<void**>(parameters.data()), static_cast<void**>(nullptr));
}

}  // namespace op2::gpu
