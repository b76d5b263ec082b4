// SPDX-License-Identifier: BSD-3-Clause
// A GPU without hardware: memory that the host cannot access, and streams whose work is done at the
// last moment, the first, or any between. Every access of a kernel or a copy is seen when it runs.
//
// Threads: one host thread at a time calls a device. A kernel may use several threads.
// Errors:  Misuse (findings.hpp) for what the program does wrong; OutOfMemory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "access_order.hpp"
#include "arena.hpp"
#include "clocks.hpp"
#include "findings.hpp"
#include "pinned_memory.hpp"
#include "work_queues.hpp"

namespace op2::test::gpu {

struct DeviceOptions {
  std::string name = "gpu0";
  std::size_t capacity = std::size_t{1} << 31;  ///< bytes that may be allocated at the same time
  Schedule schedule{};
  HostAccess host = HostAccess::forbidden;
};

/// What a stream had to do when the event was recorded; nothing before the first time.
struct DeviceEvent {
  std::optional<Position> position;
  Clock clock;
};

class Device {
 public:
  using StreamNumber = std::size_t;

  explicit Device(const DeviceOptions& options = {});
  /// Drops work that nobody has waited for.
  ~Device();

  const std::string& name() const { return findings_.device(); }
  std::size_t capacity() const { return options_.capacity; }
  std::size_t live_bytes() const { return arena_.live_bytes(); }
  /// Between host and device, in both directions.
  std::int64_t copied_bytes() const { return copied_bytes_; }

  /// What was found where nothing may be thrown. @throws Misuse
  void throw_postponed() { findings_.throw_postponed(); }

  // Memory. Freeing never fails; what it finds wrong is thrown by the next call.
  /// @param name  for messages; a number if there is none
  std::byte* allocate(std::size_t bytes, std::string name = {});
  /// The host has waited for all work on it, unless something was wrong before.
  void free(void* data) noexcept;
  /// As drivers free: after all work has run. This orders nothing: whether the host has waited
  /// before is looked at all the same.
  void wait_and_free(void* data);
  std::byte* allocate_pinned(std::size_t bytes);
  /// As `free`.
  void free_pinned(std::byte* data) noexcept;
  /// Memory of the program, until it is unpinned or the device ends.
  void pin(const void* data, std::size_t bytes);
  void unpin(const void* data);
  Arena& arena() { return arena_; }
  /// What a kernel does wrong. @throws Misuse
  [[noreturn]] void report(const std::string& finding) { findings_.report("{}", finding); }

  // Work, in the order of the calls if it is of one stream.
  StreamNumber create_stream();
  /// Does the stream's work; what it finds wrong is thrown by the next call.
  void close(StreamNumber stream) noexcept;
  /// Reads pinned memory when it runs.
  void upload(StreamNumber stream, void* to, const void* from, std::size_t bytes);
  /// Writes pinned memory when it runs, and poisons it at once unless an upload is still to read
  /// it.
  void download(StreamNumber stream, void* to, const void* from, std::size_t bytes);
  void copy(StreamNumber stream, void* to, const void* from, std::size_t bytes);
  void fill(StreamNumber stream, void* to, std::byte value, std::size_t bytes);
  /// A kernel: the function begins its work in `access_order` with the ticket.
  void launch(StreamNumber stream, const std::string& kernel,
              std::function<void(const Ticket&)> function);
  AccessOrder& access_order() { return access_order_; }

  void record(StreamNumber stream, DeviceEvent& event);
  void wait_for(StreamNumber stream, const DeviceEvent& event);

  // The host waits.
  bool reached(const DeviceEvent& event);
  void wait(const DeviceEvent& event);
  void wait(StreamNumber stream);
  void wait_for_all();
  /// As `upload` and `download`, then `wait`, with any memory of the host.
  void upload_and_wait(StreamNumber stream, void* to, const void* from, std::size_t bytes);
  void download_and_wait(StreamNumber stream, void* to, const void* from, std::size_t bytes);

 private:
  /// Bytes of the device that a copy works on.
  struct Access {
    const void* data;
    std::size_t bytes;
    AccessKind kind;
  };
  /// What a copy accesses when it runs.
  void see(const std::string& work, const Ticket& ticket, const Access& access);
  using Keeper = std::shared_ptr<std::byte>;  ///< of pinned memory, or null
  void queue_upload(StreamNumber stream, void* to, const void* from, std::size_t bytes,
                    Keeper pinned);
  void queue_download(StreamNumber stream, void* to, const void* from, std::size_t bytes,
                      Keeper pinned);
  /// Memory of the host that an upload reads, until that has run.
  using HostBytes = std::span<const std::byte>;
  std::shared_ptr<const HostBytes> note_read(HostBytes bytes);
  bool is_to_be_read(HostBytes bytes) const;
  void finish(StreamNumber stream);
  static std::size_t participant(StreamNumber stream) { return stream + 1; }

  DeviceOptions options_;
  Findings findings_;
  std::int64_t copied_bytes_ = 0, allocations_ = 0;
  Arena arena_;
  PinnedMemory pinned_;
  Clocks clocks_;
  AccessOrder access_order_;
  std::vector<std::weak_ptr<const HostBytes>> to_be_read_;
  WorkQueues queues_;
};

}  // namespace op2::test::gpu
