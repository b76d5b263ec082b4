// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/cuda_space.hpp>

#include <gpu/cuda_stream.hpp>
#include <gpu/driver_memory.hpp>
#include <gpu/staging.hpp>

namespace op2::gpu {

CudaSpace::CudaSpace(const Driver& driver)
    : driver_(driver),
      staging_(std::make_unique<Staging>(driver)),
      main_(std::make_unique<CudaStream>(driver, *staging_)) {}

CudaSpace::~CudaSpace() = default;

core::DeviceAddress CudaSpace::allocate(std::size_t bytes) {
  return address(allocate_device(driver_, bytes));
}

void CudaSpace::release(core::DeviceAddress memory) noexcept {
  if (memory) driver_.call_later(&DriverApi::memory_free, pointer(memory));
}

std::byte* CudaSpace::allocate_pinned(std::size_t bytes) {
  return static_cast<std::byte*>(gpu::allocate_pinned(driver_, bytes));
}

void CudaSpace::release_pinned(std::byte* memory) noexcept {
  if (memory != nullptr) driver_.call_later(&DriverApi::pinned_free, memory);
}

std::unique_ptr<core::Stream> CudaSpace::make_stream() {
  return std::make_unique<CudaStream>(driver_, *staging_);
}

std::unique_ptr<core::Event> CudaSpace::make_event() {
  return std::make_unique<CudaEvent>(driver_);
}

core::DeviceRoom CudaSpace::room() {
  core::DeviceRoom room{};
  driver_.call(&DriverApi::memory_info, &room.free, &room.total);
  return room;
}

}  // namespace op2::gpu
