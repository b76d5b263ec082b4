// SPDX-License-Identifier: BSD-3-Clause
// The library's view of an emulated device.
#pragma once

#include <memory>

#include <core/memory_space.hpp>

#include "device.hpp"

namespace op2::test::gpu {

/// Planned failures become op2::Error device_failure or std::bad_alloc, as a driver's would; what
/// the library does wrong stays a Misuse, which it does not catch.
class DeviceSpace : public core::MemorySpace {
 public:
  /// @param device  must outlive it
  explicit DeviceSpace(Device& device);
  ~DeviceSpace() override;

  std::string name() const override;
  core::DeviceAddress allocate(std::size_t bytes) override;
  void release(core::DeviceAddress address) noexcept override;
  std::byte* allocate_pinned(std::size_t bytes) override;
  void release_pinned(std::byte* memory) noexcept override;
  std::unique_ptr<core::Stream> make_stream() override;
  std::unique_ptr<core::Event> make_event() override;
  core::Stream& main_stream() override { return *main_; }
  core::DeviceRoom room() override;

  Device& device() { return device_; }

 private:
  Device& device_;
  std::unique_ptr<core::Stream> main_;
};

/// Queues a kernel on a stream of a DeviceSpace. @throws Error device_failure; Misuse
void launch(core::Stream& stream, const std::string& kernel, std::vector<Access> accesses,
            std::function<void()> function);

}  // namespace op2::test::gpu
