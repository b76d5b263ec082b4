// SPDX-License-Identifier: BSD-3-Clause
// Streams and events of a device.
#pragma once

#include <cstddef>
#include <vector>

#include <core/memory_space.hpp>
#include <gpu/device.hpp>
#include <gpu/driver.hpp>

namespace op2::gpu {

class CudaEvent final : public core::Event {
 public:
  /// @param driver  outlives it
  explicit CudaEvent(const Driver& driver);
  ~CudaEvent() override;
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  bool reached() override;
  void wait() override;
  EventHandle handle() const { return handle_; }

 private:
  const Driver& driver_;
  EventHandle handle_ = nullptr;
};

class Staging;

/// Not ordered with the streams of others that share the context, nor with the default stream.
class CudaStream final : public core::Stream {
 public:
  /// @param driver, staging  outlive it
  CudaStream(const Driver& driver, Staging& staging);
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  void upload(core::DeviceAddress to, const std::byte* from, std::size_t bytes) override;
  void download(std::byte* to, core::DeviceAddress from, std::size_t bytes) override;
  void copy(core::DeviceAddress to, core::DeviceAddress from, std::size_t bytes) override;
  void fill(core::DeviceAddress to, std::byte value, std::size_t bytes) override;
  void record(core::Event& event) override;
  void wait_for(const core::Event& event) override;
  void upload_and_wait(core::DeviceAddress to, const std::byte* from, std::size_t bytes) override;
  void download_and_wait(std::byte* to, core::DeviceAddress from, std::size_t bytes) override;
  void wait() override;
  void settle() noexcept override;

  const Driver& driver() const { return driver_; }
  StreamHandle handle() const { return handle_; }

 private:
  const Driver& driver_;
  Staging& staging_;
  StreamHandle handle_ = nullptr;
};

/// The same stream as one of a device. @throws Error internal: it is one of another kind
CudaStream& cuda_stream(core::Stream& stream);

inline DevicePointer pointer(core::DeviceAddress address) {
  return reinterpret_cast<DevicePointer>(address.value);
}
inline core::DeviceAddress address(DevicePointer pointer) {
  return core::DeviceAddress(reinterpret_cast<std::byte*>(pointer));
}

// Time that work of a stream takes on the device.

/// Marks in the work of one stream. All functions throw Error device_failure.
class Timer {
 public:
  /// Number of a mark since the last `restart`.
  using Mark = std::size_t;

  /// @param device  outlives it
  explicit Timer(const Device& device) : driver_(device.driver()) {}
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Behind all work that is queued on the stream.
  Mark set(core::Stream& stream);
  /// From one mark to a later one. Precondition: the host has waited for the later one's stream.
  double seconds(Mark from, Mark to) const;
  /// Forgets all marks. Precondition: as of `seconds`, for all of them.
  void restart() { marks_ = 0; }

 private:
  const Driver& driver_;
  std::vector<EventHandle> events_;  ///< of marks; those behind `marks_` are free
  std::size_t marks_ = 0;
};

}  // namespace op2::gpu
