// SPDX-License-Identifier: BSD-3-Clause
// The memory and the streams of a device.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include <core/memory_space.hpp>
#include <gpu/cuda_stream.hpp>
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

// Copies between a device and memory of the host that is not pinned. The driver's own copies of
// such memory may return before the bytes have arrived, unordered with other streams; so they pass
// through pinned memory, in two halves: the host copies one while the device copies the other.

class Staging {
 public:
  static constexpr std::size_t half_bytes = std::size_t{1} << 21;

  /// @throws Error device_failure; std::bad_alloc
  explicit Staging(const Driver& driver);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // After all work of the stream. The host waits, also where they fail: no copy is left that could
  // access this memory later.
  void upload(CudaStream& stream, core::DeviceAddress to, const std::byte* from, std::size_t bytes);
  void download(CudaStream& stream, std::byte* to, core::DeviceAddress from, std::size_t bytes);

 private:
  void queue_uploads(CudaStream& stream, core::DeviceAddress to, const std::byte* from,
                     std::size_t bytes);
  void queue_downloads(CudaStream& stream, std::byte* to, core::DeviceAddress from,
                       std::size_t bytes);

  struct Half {
    explicit Half(const Driver& driver) : copied(driver) {}
    CudaEvent copied;
    std::byte* memory = nullptr;
  };
  const Driver& driver_;
  std::array<Half, 2> halves_;
  void* memory_ = nullptr;
};

}  // namespace op2::gpu
