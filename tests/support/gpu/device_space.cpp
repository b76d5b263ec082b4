// SPDX-License-Identifier: BSD-3-Clause
#include "device_space.hpp"

#include <new>
#include <utility>

#include <fmt/format.h>

#include <core/error.hpp>

namespace op2::test::gpu {
namespace {

/// Calls `action` as a driver would be called.
template <class Action>
auto call(const Device& device, Action action) {
  try {
    return action();
  } catch (const DeviceFailure& failure) {
    core::fail(ErrorCode::device_failure, "device fault: device {}, {}; restart the program",
               device.name(), failure.what());
  }
}

/// The same where a full memory has an own exception.
template <class Action>
auto call_for_memory(const Device& device, Action action) {
  return call(device, [&] {
    try {
      return action();
    } catch (const DeviceFailure& failure) {
      if (failure.code == Failure::out_of_memory) throw std::bad_alloc();
      throw;
    }
  });
}

/// Whether a planted mistake leaves the request out.
bool omits(Device& device, Request kind, const char* call, std::size_t bytes) {
  return device.omissions().omits(kind, {fmt::format("{} of {} bytes", call, bytes)});
}
bool omits_wait(Device& device, Request kind, const char* call, bool idle) {
  return device.omissions().omits(kind, {call, idle});
}

class EmulatedEvent : public core::Event {
 public:
  explicit EmulatedEvent(Device& device) : device_(device) {}
  bool reached() override {
    return call(device_, [&] { return device_.reached(state); });
  }
  void wait() override {
    if (omits_wait(device_, Request::wait, "wait for an event", device_.is_over(state))) return;
    call(device_, [&] { device_.wait(state); });
  }

  DeviceEvent state;

 private:
  Device& device_;
};

class EmulatedStream : public core::Stream {
 public:
  explicit EmulatedStream(Device& device)
      : device_(device), number_(call(device, [&] { return device.create_stream(); })) {}
  ~EmulatedStream() override { device_.close(number_); }

  void upload(core::DeviceAddress to, const std::byte* from, std::size_t bytes) override {
    if (bytes == 0 || omits(device_, Request::upload, "upload", bytes)) return;
    call(device_, [&] { device_.upload(number_, to.value, from, bytes); });
  }
  void download(std::byte* to, core::DeviceAddress from, std::size_t bytes) override {
    if (bytes == 0 || omits(device_, Request::download, "download", bytes)) return;
    call(device_, [&] { device_.download(number_, to, from.value, bytes); });
  }
  void copy(core::DeviceAddress to, core::DeviceAddress from, std::size_t bytes) override {
    if (bytes > 0) call(device_, [&] { device_.copy(number_, to.value, from.value, bytes); });
  }
  void fill(core::DeviceAddress to, std::byte value, std::size_t bytes) override {
    if (bytes == 0 || omits(device_, Request::fill, "fill", bytes)) return;
    call(device_, [&] { device_.fill(number_, to.value, value, bytes); });
  }
  void record(core::Event& event) override {
    call(device_, [&] { device_.record(number_, dynamic_cast<EmulatedEvent&>(event).state); });
  }
  void wait_for(const core::Event& event) override {
    const auto& state = dynamic_cast<const EmulatedEvent&>(event).state;
    if (omits_wait(device_, Request::wait_for, "order behind an event",
                   device_.is_over(state, number_)))
      return;
    call(device_, [&] { device_.wait_for(number_, state); });
  }
  void upload_and_wait(core::DeviceAddress to, const std::byte* from, std::size_t bytes) override {
    if (bytes == 0) return wait();
    if (omits(device_, Request::upload, "upload and wait", bytes)) return;
    call(device_, [&] { device_.upload_and_wait(number_, to.value, from, bytes); });
  }
  void download_and_wait(std::byte* to, core::DeviceAddress from, std::size_t bytes) override {
    if (bytes == 0) return wait();
    if (omits(device_, Request::download, "download and wait", bytes)) return;
    call(device_, [&] { device_.download_and_wait(number_, to, from.value, bytes); });
  }
  void wait() override {
    if (omits_wait(device_, Request::wait, "wait for a stream", device_.is_over(number_))) return;
    call(device_, [&] { device_.wait(number_); });
  }
  void settle() noexcept override {
    try {
      wait();
    } catch (const Error&) {  // the device stays faulty
    }
  }
  void launch(const std::string& kernel, std::vector<Access> accesses,
              std::function<void()> function) {
    if (device_.omissions().omits(Request::launch, {fmt::format("launch '{}'", kernel)})) return;
    call(device_,
         [&] { device_.launch(number_, kernel, std::move(accesses), std::move(function)); });
  }

 private:
  Device& device_;
  Device::StreamNumber number_;
};

}  // namespace

DeviceSpace::DeviceSpace(Device& device)
    : device_(device), main_(std::make_unique<EmulatedStream>(device)) {}

DeviceSpace::~DeviceSpace() = default;

std::string DeviceSpace::name() const {
  return "device " + device_.name();
}

core::DeviceAddress DeviceSpace::allocate(std::size_t bytes) {
  return call_for_memory(device_, [&] { return core::DeviceAddress(device_.allocate(bytes)); });
}

void DeviceSpace::release(core::DeviceAddress address) noexcept {
  if (address) device_.free(address.value);
}

std::byte* DeviceSpace::allocate_pinned(std::size_t bytes) {
  return call_for_memory(device_, [&] { return device_.allocate_pinned(bytes); });
}

void DeviceSpace::release_pinned(std::byte* memory) noexcept {
  if (memory != nullptr) device_.free_pinned(memory);
}

std::unique_ptr<core::Stream> DeviceSpace::make_stream() {
  return std::make_unique<EmulatedStream>(device_);
}

std::unique_ptr<core::Event> DeviceSpace::make_event() {
  return std::make_unique<EmulatedEvent>(device_);
}

core::DeviceRoom DeviceSpace::room() {
  return {device_.capacity() - device_.live_bytes(), device_.capacity()};
}

void launch(core::Stream& stream, const std::string& kernel, std::vector<Access> accesses,
            std::function<void()> function) {
  dynamic_cast<EmulatedStream&>(stream).launch(kernel, std::move(accesses), std::move(function));
}

}  // namespace op2::test::gpu
