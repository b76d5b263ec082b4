// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/space.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include <core/error.hpp>

namespace op2::gpu {
namespace {

class DeviceEvent final : public core::Event {
 public:
  /// @param driver  outlives it
  explicit DeviceEvent(const Driver& driver) : driver_(driver) {
    driver_.call(&DriverApi::event_create, &handle_, event_without_timing);
  }
  ~DeviceEvent() override { driver_.call_later(&DriverApi::event_destroy, handle_); }
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;

  bool reached() override {
    const int result = driver_.result_of(&DriverApi::event_query, handle_);
    if (result != DriverResult::success && result != DriverResult::not_ready)
      driver_.fail(driver_.api().event_query.name(), result);
    return result == DriverResult::success;
  }
  void wait() override { driver_.call(&DriverApi::event_wait, handle_); }
  EventHandle handle() const { return handle_; }

 private:
  const Driver& driver_;
  EventHandle handle_ = nullptr;
};

EventHandle handle_of(const core::Event& event) {
  const auto* const same = dynamic_cast<const DeviceEvent*>(&event);
  core::ensure(same != nullptr, "an event is not one of a CUDA device");
  return same->handle();
}

/// A lack of memory has an own exception. @throws std::bad_alloc; Error device_failure
template <class Function, class... Arguments>
void allocate_by(const Driver& driver, Function DriverApi::* function, Arguments... arguments) {
  const int result = driver.result_of(function, arguments...);
  if (result == DriverResult::out_of_memory) throw std::bad_alloc();
  if (result != DriverResult::success) driver.fail((driver.api().*function).name(), result);
}

std::byte* allocate_pinned_by(const Driver& driver, std::size_t bytes) {
  void* memory = nullptr;
  allocate_by(driver, &DriverApi::pinned_allocate, &memory, bytes, 0U);
  return static_cast<std::byte*>(memory);
}

/// Pinned memory in two halves: the host copies one while the device copies the other.
struct Staging {
  explicit Staging(const Driver& its_driver)
      : driver(its_driver), copied{DeviceEvent(driver), DeviceEvent(driver)} {
    memory = allocate_pinned_by(driver, 2 * staged_bytes);
  }
  ~Staging() { driver.call_and_ignore(&DriverApi::pinned_free, memory); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  std::byte* half(std::size_t turn) const { return memory + turn % 2 * staged_bytes; }

  const Driver& driver;
  std::array<DeviceEvent, 2> copied;  ///< of each half
  std::byte* memory = nullptr;
};

// The driver's own copies of memory that is not pinned may return before the bytes have arrived,
// unordered with other streams. So such copies pass through the staging memory.

/// Not ordered with the streams of others that share the context, nor with the default stream.
class DeviceStream final : public core::Stream {
 public:
  /// @param driver, staging  outlive it
  DeviceStream(const Driver& driver, Staging& staging) : driver_(driver), staging_(staging) {
    driver_.call(&DriverApi::stream_create, &handle_, stream_non_blocking);
  }
  ~DeviceStream() override {
    driver_.call_and_ignore(&DriverApi::stream_wait, handle_);
    driver_.call_later(&DriverApi::stream_destroy, handle_);
  }
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;

  void upload(core::DeviceAddress to, const std::byte* from, std::size_t bytes) override {
    if (bytes > 0) driver_.call(&DriverApi::upload, pointer(to), from, bytes, handle_);
  }
  void download(std::byte* to, core::DeviceAddress from, std::size_t bytes) override {
    if (bytes > 0) driver_.call(&DriverApi::download, to, pointer(from), bytes, handle_);
  }
  void copy(core::DeviceAddress to, core::DeviceAddress from, std::size_t bytes) override {
    if (bytes > 0) driver_.call(&DriverApi::copy, pointer(to), pointer(from), bytes, handle_);
  }
  void fill(core::DeviceAddress to, std::byte value, std::size_t bytes) override {
    const auto byte = std::to_integer<unsigned char>(value);
    if (bytes > 0) driver_.call(&DriverApi::fill, pointer(to), byte, bytes, handle_);
  }
  void record(core::Event& event) override {
    driver_.call(&DriverApi::event_record, handle_of(event), handle_);
  }
  void wait_for(const core::Event& event) override {
    driver_.call(&DriverApi::stream_wait_for, handle_, handle_of(event), 0U);
  }
  void upload_and_wait(core::DeviceAddress to, const std::byte* from, std::size_t bytes) override {
    queue_and_wait([&] { queue_uploads(to, from, bytes); });
  }
  void download_and_wait(std::byte* to, core::DeviceAddress from, std::size_t bytes) override {
    queue_and_wait([&] { queue_downloads(to, from, bytes); });
  }
  void wait() override { driver_.call(&DriverApi::stream_wait, handle_); }
  void settle() noexcept override { driver_.call_later(&DriverApi::stream_wait, handle_); }

  DriverStream for_driver() const { return {driver_, handle_}; }

 private:
  /// Waits also where queueing fails: no copy is left that could access the staging memory later.
  /// Called for any reading of an array by the host, also while the program uses another context.
  template <class Queue>
  void queue_and_wait(Queue queue) {
    const CurrentContext current(&driver_);
    try {
      queue();
    } catch (...) {
      driver_.call_and_ignore(&DriverApi::stream_wait, handle_);
      throw;
    }
    wait();
  }
  void queue_uploads(core::DeviceAddress to, const std::byte* from, std::size_t bytes) {
    for (std::size_t at = 0, turn = 0; at < bytes; at += staged_bytes, ++turn) {
      if (turn >= 2) staging_.copied[turn % 2].wait();
      const std::size_t size = std::min(staged_bytes, bytes - at);
      std::memcpy(staging_.half(turn), from + at, size);
      upload(to + at, staging_.half(turn), size);
      record(staging_.copied[turn % 2]);
    }
  }
  void queue_downloads(std::byte* to, core::DeviceAddress from, std::size_t bytes) {
    const auto take = [&](std::size_t turn) {
      staging_.copied[turn % 2].wait();
      const std::size_t at = turn * staged_bytes;
      std::memcpy(to + at, staging_.half(turn), std::min(staged_bytes, bytes - at));
    };
    std::size_t turn = 0;
    for (std::size_t at = 0; at < bytes; at += staged_bytes, ++turn) {
      download(staging_.half(turn), from + at, std::min(staged_bytes, bytes - at));
      record(staging_.copied[turn % 2]);
      if (turn > 0) take(turn - 1);
    }
    if (turn > 0) take(turn - 1);
  }

  const Driver& driver_;
  Staging& staging_;
  StreamHandle handle_ = nullptr;
};

class DeviceSpace final : public core::MemorySpace {
 public:
  explicit DeviceSpace(const Driver& driver)
      : driver_(driver), staging_(driver), main_(driver, staging_) {}

  std::string name() const override { return driver_.device(); }
  core::DeviceAddress allocate(std::size_t bytes) override {
    DevicePointer memory = 0;
    allocate_by(driver_, &DriverApi::memory_allocate, &memory, bytes);
    return address(memory);
  }
  void release(core::DeviceAddress memory) noexcept override {
    if (memory) driver_.call_later(&DriverApi::memory_free, pointer(memory));
  }
  std::byte* allocate_pinned(std::size_t bytes) override {
    return allocate_pinned_by(driver_, bytes);
  }
  void release_pinned(std::byte* memory) noexcept override {
    if (memory != nullptr) driver_.call_later(&DriverApi::pinned_free, memory);
  }
  std::unique_ptr<core::Stream> make_stream() override {
    return std::make_unique<DeviceStream>(driver_, staging_);
  }
  std::unique_ptr<core::Event> make_event() override {
    return std::make_unique<DeviceEvent>(driver_);
  }
  core::Stream& main_stream() override { return main_; }
  core::DeviceRoom room() override {
    core::DeviceRoom room{};
    driver_.call(&DriverApi::memory_info, &room.free, &room.total);
    return room;
  }

 private:
  const Driver& driver_;
  Staging staging_;
  DeviceStream main_;
};

}  // namespace

std::unique_ptr<core::MemorySpace> make_space(const Driver& driver) {
  return std::make_unique<DeviceSpace>(driver);
}

DriverStream driver_stream(const core::Stream& stream) {
  const auto* const same = dynamic_cast<const DeviceStream*>(&stream);
  core::ensure(same != nullptr, "a stream is not one of a CUDA device");
  return same->for_driver();
}

Timer::~Timer() {
  for (EventHandle event : events_) driver_.call_later(&DriverApi::event_destroy, event);
}

Timer::Mark Timer::set(core::Stream& stream) {
  if (marks_ == events_.size()) {
    EventHandle event = nullptr;
    driver_.call(&DriverApi::event_create, &event, event_with_timing);
    events_.push_back(event);
  }
  driver_.call(&DriverApi::event_record, events_[marks_], driver_stream(stream).handle);
  return marks_++;
}

double Timer::seconds(Mark from, Mark to) const {
  float milliseconds = 0;
  driver_.call(&DriverApi::event_elapsed, &milliseconds, events_.at(from), events_.at(to));
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace op2::gpu
