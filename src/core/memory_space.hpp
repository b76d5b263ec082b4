// SPDX-License-Identifier: BSD-3-Clause
// The memory of one device, and the streams that order work on it. The host has no MemorySpace: an
// Array without one has a host copy alone.
//
// Threads: one host thread calls a space, its streams and its events.
// Order:   work of one stream runs in the order of the calls. Work of different streams is ordered
//          by events only; host and device by the calls that wait. There is no other order: a space
//          may run queued work at the call, when the host waits for it, or at any time in between.
// Memory:  what queued work accesses must stay allocated, and unchanged by others, until the host
//          has waited for that work.
// Errors:  every function but the noexcept ones throws Error `device_failure`; its message names
//          the call and the device's error. A fault of queued work is thrown by the call that waits
//          for it, or by any later call. A call that throws has queued nothing; the bytes that it
//          should have filled are undefined.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <string>

namespace op2::core {

/// An address on a device. Only work on a stream accesses it, never the host.
struct DeviceAddress {
  std::byte* value = nullptr;

  DeviceAddress() = default;
  DeviceAddress(std::nullptr_t) {}
  explicit DeviceAddress(std::byte* address) : value(address) {}

  explicit operator bool() const { return value != nullptr; }
  DeviceAddress operator+(std::size_t bytes) const { return DeviceAddress(value + bytes); }
  auto operator<=>(const DeviceAddress&) const = default;
};

/// A point in the work of a stream. Before its first `record` it counts as reached.
/// Destruction returns at once; work that waits for the event stays ordered.
class Event {
 public:
  virtual ~Event() = default;

  /// Whether all work before the last `record` has run. Does not wait.
  virtual bool reached() = 0;
  /// The host waits until all work before the last `record` has run.
  virtual void wait() = 0;
};

/// A queue of work. Destruction waits for the work and ignores its faults.
class Stream {
 public:
  virtual ~Stream() = default;

  // Asynchronous: these return before the work has run. Ranges of zero bytes are ignored. The two
  // ranges of a copy do not overlap.

  /// Device bytes from the host. `from` is pinned; it is read when the work runs.
  virtual void upload(DeviceAddress to, const std::byte* from, std::size_t bytes) = 0;
  /// Host bytes from the device. `to` is pinned; it is undefined from the call until the host has
  /// waited for the work.
  virtual void download(std::byte* to, DeviceAddress from, std::size_t bytes) = 0;
  /// Device to device.
  virtual void copy(DeviceAddress to, DeviceAddress from, std::size_t bytes) = 0;
  /// Sets every byte of a range of the device.
  virtual void fill(DeviceAddress to, std::byte value, std::size_t bytes) = 0;

  /// Sets `event` to all work queued here so far, instead of what it was recorded for before.
  virtual void record(Event& event) = 0;
  /// Work queued here from now on runs after the last `record` of `event`, even if the event is
  /// recorded again meanwhile. The host does not wait.
  virtual void wait_for(const Event& event) = 0;

  // Synchronous: the work runs after all work queued here, before these return.

  /// As `upload` and `download`, from and to any memory of the host.
  virtual void upload_and_wait(DeviceAddress to, const std::byte* from, std::size_t bytes) = 0;
  virtual void download_and_wait(std::byte* to, DeviceAddress from, std::size_t bytes) = 0;
  /// The host waits until all work queued here has run.
  virtual void wait() = 0;
  /// The same for destructors: a fault is thrown by the next call that throws.
  virtual void settle() noexcept = 0;
};

/// Bytes of a device.
struct DeviceRoom {
  std::size_t free, total;
};

class MemorySpace {
 public:
  virtual ~MemorySpace() = default;

  /// For messages, for example "device 0 (NVIDIA H200)".
  virtual std::string name() const = 0;

  /// `bytes` > 0 of undefined value, aligned to 256. May wait for all work of the space.
  /// @throws std::bad_alloc  the device has too little memory; nothing has changed
  virtual DeviceAddress allocate(std::size_t bytes) = 0;
  /// Precondition: the host has waited for all work that accesses it. May wait for all work of the
  /// space. Null is allowed. Faults are reported by the next call that throws.
  virtual void release(DeviceAddress address) noexcept = 0;

  /// `bytes` > 0 of host memory for asynchronous copies, of undefined value, aligned to 64. Slow:
  /// meant for memory that is kept.
  /// @throws std::bad_alloc
  virtual std::byte* allocate_pinned(std::size_t bytes) = 0;
  /// As `release`.
  virtual void release_pinned(std::byte* memory) noexcept = 0;

  /// Streams and events end before the space.
  virtual std::unique_ptr<Stream> make_stream() = 0;
  virtual std::unique_ptr<Event> make_event() = 0;
  /// The stream on which arrays transfer their bytes. Work on arrays that is queued on other
  /// streams is ordered by events: after this stream before it reads, before this stream when it
  /// has written.
  virtual Stream& main_stream() = 0;

  /// The memory that is free now; other programs may take it at any time.
  virtual DeviceRoom room() = 0;
};

/// Owners of memory of a space, which outlives them. All work on the memory has run before its
/// owner is destroyed.
struct ReleaseOnDevice {
  using pointer = DeviceAddress;
  MemorySpace* space = nullptr;
  void operator()(DeviceAddress address) const noexcept { space->release(address); }
};
using DeviceBuffer = std::unique_ptr<std::byte[], ReleaseOnDevice>;

struct ReleasePinned {
  MemorySpace* space = nullptr;
  void operator()(std::byte* memory) const noexcept { space->release_pinned(memory); }
};
using PinnedBuffer = std::unique_ptr<std::byte[], ReleasePinned>;

/// @throws as MemorySpace::allocate and allocate_pinned
inline DeviceBuffer allocate_on(MemorySpace& space, std::size_t bytes) {
  return DeviceBuffer(space.allocate(bytes), ReleaseOnDevice{&space});
}
inline PinnedBuffer allocate_pinned_for(MemorySpace& space, std::size_t bytes) {
  return PinnedBuffer(space.allocate_pinned(bytes), ReleasePinned{&space});
}

}  // namespace op2::core
