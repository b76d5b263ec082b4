// SPDX-License-Identifier: BSD-3-Clause
// The memory and the streams of a device.
#pragma once

#include <memory>
#include <string>

#include <core/memory_space.hpp>
#include <gpu/driver.hpp>

namespace op2::gpu {

class Staging;

class CudaSpace final : public core::MemorySpace {
 public:
  /// @param driver  outlives it
  /// @throws Error  device_failure; std::bad_alloc
  explicit CudaSpace(const Driver& driver);
  ~CudaSpace() override;

  std::string name() const override { return driver_.device(); }
  core::DeviceAddress allocate(std::size_t bytes) override;
  void release(core::DeviceAddress address) noexcept override;
  std::byte* allocate_pinned(std::size_t bytes) override;
  void release_pinned(std::byte* memory) noexcept override;
  std::unique_ptr<core::Stream> make_stream() override;
  std::unique_ptr<core::Event> make_event() override;
  core::Stream& main_stream() override { return *main_; }
  core::DeviceRoom room() override;

 private:
  const Driver& driver_;
  std::unique_ptr<Staging> staging_;
  std::unique_ptr<core::Stream> main_;
};

}  // namespace op2::gpu
