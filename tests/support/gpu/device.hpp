// SPDX-License-Identifier: BSD-3-Clause
// A GPU without hardware: memory that the host cannot access, and streams whose work is done at the
// last moment, the first, or any between. Kernels are functions of the host.
//
// Threads: one host thread at a time calls a device. A kernel may use several threads.
// Errors:  Misuse (findings.hpp) for what the program does wrong, DeviceFailure for what was
// planned.
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
#include "failure_plan.hpp"
#include "findings.hpp"
#include "omissions.hpp"
#include "pinned_memory.hpp"
#include "race_detector.hpp"
#include "work_queues.hpp"

namespace op2::test::gpu {

struct DeviceOptions {
  std::string name = "gpu0";
  std::size_t capacity = std::size_t{1} << 31;  ///< bytes that may be allocated at the same time
  Schedule schedule{};
  HostAccess host = HostAccess::forbidden;
  bool sees_accesses = false;  ///< of kernels, one by one: copies count as accesses, too
};

/// What was asked of a device since it exists.
struct Counters {
  std::int64_t allocations = 0, frees = 0;
  std::int64_t uploads = 0, uploaded_bytes = 0;
  std::int64_t downloads = 0, downloaded_bytes = 0;
  std::int64_t copies = 0, fills = 0;  ///< on the device
  std::int64_t launches = 0;
  std::int64_t waits = 0;  ///< of the host
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
  const Counters& counters() const { return counters_; }
  const std::vector<std::string>& findings() const { return findings_.all(); }
  FailurePlan& failures() { return failures_; }
  /// What users of a DeviceSpace do not ask for. Calls of this class are never left out.
  Omissions& omissions() { return omissions_; }

  /// What was found where nothing may be thrown. @throws Misuse
  void throw_postponed() { findings_.throw_postponed(); }

  // Memory. Freeing never fails; what it finds wrong is thrown by the next call.
  /// @param name  for messages; a number if there is none
  std::byte* allocate(std::size_t bytes, std::string name = {});
  /// The host has waited for all work on it, unless something was wrong before.
  void free(void* data) noexcept;
  /// As drivers free: after all work has run. This orders nothing: whether the host has waited
  /// before is looked at all the same, for work whose accesses are seen.
  void wait_and_free(void* data);
  std::byte* allocate_pinned(std::size_t bytes);
  /// As `free`.
  void free_pinned(std::byte* data) noexcept;
  /// Memory of the program, until it is unpinned or the device ends.
  void pin(const void* data, std::size_t bytes);
  void unpin(const void* data);
  /// For kernels whose accesses are seen one by one.
  Arena& arena() { return arena_; }
  /// What such a kernel does wrong. @throws Misuse
  [[noreturn]] void report(const std::string& finding) { findings_.report("{}", finding); }

  // Work, in the order of the calls if it is of one stream.
  StreamNumber create_stream();
  /// Does the stream's work, unless the device is lost, and drops its failures; what it finds wrong
  /// is thrown by the next call.
  void close(StreamNumber stream) noexcept;
  /// Reads pinned memory when it runs.
  void upload(StreamNumber stream, void* to, const void* from, std::size_t bytes);
  /// Writes pinned memory when it runs, and poisons it at once unless an upload is still to read
  /// it.
  void download(StreamNumber stream, void* to, const void* from, std::size_t bytes);
  void copy(StreamNumber stream, void* to, const void* from, std::size_t bytes);
  void fill(StreamNumber stream, void* to, std::byte value, std::size_t bytes);
  /// A kernel with what it accesses: all bytes that it reads must have a value; it may do nothing
  /// else.
  void launch(StreamNumber stream, const std::string& kernel, std::vector<Access> accesses,
              std::function<void()> function);
  /// A kernel that may access all allocations, which nothing orders against other work.
  void launch(StreamNumber stream, const std::string& kernel, std::function<void()> function);

  /// A kernel whose accesses are seen: the function begins its work in `access_order` with the
  /// ticket.
  void launch_seen(StreamNumber stream, const std::string& kernel,
                   std::function<void(const Ticket&)> function);
  AccessOrder& access_order() { return access_order_; }

  void record(StreamNumber stream, DeviceEvent& event);
  void wait_for(StreamNumber stream, const DeviceEvent& event);

  // The host waits.
  bool reached(const DeviceEvent& event);
  void wait(const DeviceEvent& event);
  void wait(StreamNumber stream);
  void wait_for_all();
  // Whether it is known that a wait would find nothing to wait for.
  bool is_over(StreamNumber stream) const;
  bool is_over(const DeviceEvent& event) const;
  /// The same for a stream that is to wait.
  bool is_over(const DeviceEvent& event, StreamNumber stream) const;
  /// As `upload` and `download`, then `wait`, with any memory of the host.
  void upload_and_wait(StreamNumber stream, void* to, const void* from, std::size_t bytes);
  void download_and_wait(StreamNumber stream, void* to, const void* from, std::size_t bytes);

 private:
  void begin_call(const char* function);
  void begin_work(StreamNumber stream, const std::string& work, std::span<const Access> accesses);
  /// For work that the last `begin_work` has begun.
  Ticket ticket(StreamNumber stream) const { return ticket_of(participant(stream)); }
  Ticket ticket_of(std::size_t participant) const;
  /// What a copy accesses when it runs.
  void see(const std::string& work, const Ticket& ticket, const Access& access);
  void note(std::size_t participant, const std::string& work, const Access& access);
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
  /// Nothing was wrong so far: the host has waited wherever it must.
  bool is_sound() const { return !failures_.has_failed() && findings_.all().empty(); }
  static std::size_t participant(StreamNumber stream) { return stream + 1; }

  DeviceOptions options_;
  Findings findings_;
  FailurePlan failures_;
  Omissions omissions_;
  Counters counters_;
  Arena arena_;
  PinnedMemory pinned_;
  RaceDetector races_;
  AccessOrder access_order_;
  std::vector<std::weak_ptr<const HostBytes>> to_be_read_;
  WorkQueues queues_;
};

}  // namespace op2::test::gpu
