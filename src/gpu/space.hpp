// SPDX-License-Identifier: BSD-3-Clause
// The memory and the streams of a device, as core/memory_space.hpp has them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <core/memory_space.hpp>
#include <gpu/device.hpp>
#include <gpu/driver.hpp>

namespace op2::gpu {

/// @param driver  outlives it
/// @throws Error  device_failure; std::bad_alloc
std::unique_ptr<core::MemorySpace> make_space(const Driver& driver);

/// Bytes that are not pinned pass through pinned memory in pieces of at most this size.
inline constexpr std::size_t staged_bytes = std::size_t{1} << 21;

/// A stream of a device, as the driver knows it.
struct DriverStream {
  const Driver& driver;
  StreamHandle handle;
};
/// @throws Error internal: the stream is one of another kind
DriverStream driver_stream(const core::Stream& stream);

inline DevicePointer pointer(core::DeviceAddress address) {
  return reinterpret_cast<DevicePointer>(address.value);
}
inline core::DeviceAddress address(DevicePointer pointer) {
  return core::DeviceAddress(reinterpret_cast<std::byte*>(pointer));
}

/// Time that work of a stream takes on the device, between marks. All functions throw Error
/// device_failure.
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
