// SPDX-License-Identifier: BSD-3-Clause
#include "device.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "poison.hpp"

#include <fmt/format.h>

namespace op2::test::gpu {

Device::Device(const DeviceOptions& options)
    : options_(options),
      findings_(options.name),
      arena_(options.capacity, options.host, findings_),
      pinned_(findings_),
      queues_(options.schedule) {}

Device::~Device() {
  if (findings_.postponed().empty()) return;
  std::fprintf(stderr, "%s\n", findings_.postponed().c_str());
  std::abort();
}

std::byte* Device::allocate(std::size_t bytes, std::string name) {
  throw_postponed();
  if (name.empty()) name = fmt::format("allocation {}", allocations_);
  std::byte* data = arena_.allocate(bytes, std::move(name));
  ++allocations_;
  return data;
}

void Device::free(void* data) noexcept {
  findings_.postpone([&] { arena_.free(data); });
}

void Device::wait_and_free(void* data) {
  const Allocation& allocation = arena_.find(data, 0, "free");
  const Ticket ticket = clocks_.begin(Clocks::host);
  queues_.finish_all();
  if (findings_.all().empty())
    see("free", ticket, {allocation.data, allocation.bytes, AccessKind::write});
  free(data);
}

std::byte* Device::allocate_pinned(std::size_t bytes) {
  throw_postponed();
  return pinned_.allocate(bytes);
}

void Device::free_pinned(std::byte* data) noexcept {
  findings_.postpone([&] {
    const bool too_early = findings_.all().empty() && pinned_.is_kept(data);
    pinned_.release(data);
    if (too_early) findings_.report("pinned memory is freed before a copy has run; wait for it");
  });
}

void Device::pin(const void* data, std::size_t bytes) {
  throw_postponed();
  pinned_.pin(data, bytes);
}

void Device::unpin(const void* data) {
  throw_postponed();
  pinned_.release(data);
}

Device::StreamNumber Device::create_stream() {
  throw_postponed();
  clocks_.add_stream();
  return queues_.add_stream();
}

void Device::close(StreamNumber stream) noexcept {
  findings_.postpone([&] {
    queues_.finish(queues_.position(stream));
    clocks_.order_after(Clocks::host, clocks_.clock(participant(stream)));
  });
}

void Device::see(const std::string& work, const Ticket& ticket, const Access& access) {
  access_order_.begin(work, ticket);
  const Moment& at = access_order_.moment();
  Allocation& allocation = arena_.find(access.data, access.bytes, work);
  const std::size_t offset = allocation.offset_of(access.data);
  const Rival* rival = allocation.history.note(offset, access.bytes, access.kind, at, at.kernel);
  if (rival != nullptr)
    findings_.report(
        "race: nothing orders '{}' and '{}' on '{}', offset {}, {} bytes; an event or a wait is "
        "missing",
        access_order_.work_at(rival->who.time()), work, allocation.name, offset, access.bytes);
}

void Device::upload(StreamNumber stream, void* to, const void* from, std::size_t bytes) {
  throw_postponed();
  queue_upload(stream, to, from, bytes, pinned_.keep(from, bytes, "upload"));
}

std::shared_ptr<const Device::HostBytes> Device::note_read(HostBytes bytes) {
  std::erase_if(to_be_read_, [](const auto& read) { return read.expired(); });
  auto noted = std::make_shared<const HostBytes>(bytes);
  to_be_read_.push_back(noted);
  return noted;
}

bool Device::is_to_be_read(HostBytes bytes) const {
  return std::ranges::any_of(to_be_read_, [&](const auto& read) {
    const auto other = read.lock();
    return other != nullptr && other->data() < bytes.data() + bytes.size() &&
           bytes.data() < other->data() + other->size();
  });
}

void Device::queue_upload(StreamNumber stream, void* to, const void* from, std::size_t bytes,
                          Keeper pinned) {
  copied_bytes_ += static_cast<std::int64_t>(bytes);
  auto read = note_read({static_cast<const std::byte*>(from), bytes});
  queues_.add(stream, [=, this, pinned = std::move(pinned), read = std::move(read),
                       ticket = clocks_.begin(participant(stream))] {
    arena_.find(to, bytes, "upload");
    see("upload", ticket, {to, bytes, AccessKind::write});
    arena_.copy_in(to, from, bytes);
  });
}

void Device::download(StreamNumber stream, void* to, const void* from, std::size_t bytes) {
  throw_postponed();
  queue_download(stream, to, from, bytes, pinned_.keep(to, bytes, "download"));
}

void Device::queue_download(StreamNumber stream, void* to, const void* from, std::size_t bytes,
                            Keeper pinned) {
  copied_bytes_ += static_cast<std::int64_t>(bytes);
  const std::span target{static_cast<std::byte*>(to), bytes};
  if (!is_to_be_read(target)) poison(target);
  queues_.add(stream,
              [=, this, pinned = std::move(pinned), ticket = clocks_.begin(participant(stream))] {
                see("download", ticket, {from, bytes, AccessKind::read});
                arena_.require_values(from, bytes, "download");
                arena_.copy_out(to, from, bytes);
              });
}

void Device::copy(StreamNumber stream, void* to, const void* from, std::size_t bytes) {
  throw_postponed();
  queues_.add(stream, [=, this, ticket = clocks_.begin(participant(stream))] {
    arena_.find(from, bytes, "copy");
    arena_.find(to, bytes, "copy");
    see("copy", ticket, {from, bytes, AccessKind::read});
    see("copy", ticket, {to, bytes, AccessKind::write});
    arena_.copy_inside(to, from, bytes);
  });
}

void Device::fill(StreamNumber stream, void* to, std::byte value, std::size_t bytes) {
  throw_postponed();
  queues_.add(stream, [=, this, ticket = clocks_.begin(participant(stream))] {
    const std::vector<std::byte> values(bytes, value);
    arena_.find(to, bytes, "fill");
    see("fill", ticket, {to, bytes, AccessKind::write});
    arena_.copy_in(to, values.data(), bytes);
  });
}

void Device::launch(StreamNumber stream, const std::string& kernel,
                    std::function<void(const Ticket&)> function) {
  throw_postponed();
  queues_.add(stream, [=, this, ticket = clocks_.begin(participant(stream))] {
    arena_.run(kernel, [&] { function(ticket); });
  });
}

void Device::record(StreamNumber stream, DeviceEvent& event) {
  throw_postponed();
  event = {queues_.position(stream), clocks_.clock(participant(stream))};
}

void Device::wait_for(StreamNumber stream, const DeviceEvent& event) {
  throw_postponed();
  if (!event.position) return;
  clocks_.order_after(participant(stream), event.clock);
  queues_.add_dependency(stream, *event.position);
}

bool Device::reached(const DeviceEvent& event) {
  throw_postponed();
  if (event.position && !queues_.poll(*event.position)) return false;
  clocks_.order_after(Clocks::host, event.clock);
  return true;
}

void Device::wait(const DeviceEvent& event) {
  throw_postponed();
  if (event.position) queues_.finish(*event.position);
  clocks_.order_after(Clocks::host, event.clock);
}

void Device::wait(StreamNumber stream) {
  throw_postponed();
  finish(stream);
}

void Device::finish(StreamNumber stream) {
  queues_.finish(queues_.position(stream));
  clocks_.order_after(Clocks::host, clocks_.clock(participant(stream)));
}

void Device::wait_for_all() {
  throw_postponed();
  queues_.finish_all();
  clocks_.host_waits_for_all();
}

void Device::upload_and_wait(StreamNumber stream, void* to, const void* from, std::size_t bytes) {
  throw_postponed();
  queue_upload(stream, to, from, bytes, nullptr);
  finish(stream);
}

void Device::download_and_wait(StreamNumber stream, void* to, const void* from, std::size_t bytes) {
  throw_postponed();
  queue_download(stream, to, from, bytes, nullptr);
  finish(stream);
}

}  // namespace op2::test::gpu
