// SPDX-License-Identifier: BSD-3-Clause
#include "device.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "poison.hpp"

#include <fmt/format.h>

namespace op2::test::gpu {
namespace {

std::int64_t count(std::size_t bytes) {
  return static_cast<std::int64_t>(bytes);
}

Access reads(const void* data, std::size_t bytes) {
  return {const_cast<void*>(data), bytes, Mode::read};
}

Access writes(void* data, std::size_t bytes) {
  return {data, bytes, Mode::write};
}

}  // namespace

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

void Device::begin_call(const char* function) {
  findings_.throw_postponed();
  failures_.count(function);
}

std::byte* Device::allocate(std::size_t bytes, std::string name) {
  begin_call("allocate");
  if (name.empty()) name = fmt::format("allocation {}", counters_.allocations);
  std::byte* data = arena_.allocate(bytes, std::move(name));
  ++counters_.allocations;
  return data;
}

void Device::free(void* data) noexcept {
  findings_.postpone([&] {
    const Allocation& allocation = arena_.find(data, 0, "free");
    races_.begin(RaceDetector::host);
    if (is_sound()) note(RaceDetector::host, "free", writes(allocation.data, allocation.bytes));
    races_.forget(allocation.data);
    arena_.free(data);
    ++counters_.frees;
  });
}

void Device::wait_and_free(void* data) {
  const Allocation& allocation = arena_.find(data, 0, "free");
  races_.begin(RaceDetector::host);
  queues_.finish_all();
  if (is_sound())
    see("free", ticket_of(RaceDetector::host), writes(allocation.data, allocation.bytes));
  free(data);
}

std::byte* Device::allocate_pinned(std::size_t bytes) {
  begin_call("allocate pinned");
  return pinned_.allocate(bytes);
}

void Device::free_pinned(std::byte* data) noexcept {
  findings_.postpone([&] {
    const bool too_early = is_sound() && pinned_.is_kept(data);
    pinned_.release(data);
    if (too_early) findings_.report("pinned memory is freed before a copy has run; wait for it");
  });
}

void Device::pin(const void* data, std::size_t bytes) {
  begin_call("pin");
  pinned_.pin(data, bytes);
}

void Device::unpin(const void* data) {
  begin_call("unpin");
  pinned_.release(data);
}

Device::StreamNumber Device::create_stream() {
  begin_call("create stream");
  races_.add_stream();
  return queues_.add_stream();
}

void Device::close(StreamNumber stream) noexcept {
  findings_.postpone([&] {
    try {
      if (failures_.is_lost()) return queues_.drop();
      queues_.finish(queues_.position(stream));
    } catch (const Misuse&) {
      throw;
    } catch (const std::exception&) {  // what a kernel throws
    }
    races_.order_after(RaceDetector::host, races_.clock(participant(stream)));
  });
}

void Device::note(std::size_t participant, const std::string& work, const Access& access) {
  const Allocation& allocation = arena_.find(access.data, access.bytes, work);
  const std::size_t begin = allocation.offset_of(access.data);
  const std::string rival = races_.note(
      participant, work, {allocation.data, begin, begin + access.bytes}, access.mode != Mode::read);
  if (!rival.empty())
    findings_.report(
        "race: nothing orders '{}' and '{}' on '{}', offset {}, {} bytes; an event or "
        "a wait is missing",
        rival, work, allocation.name, begin, access.bytes);
}

void Device::begin_work(StreamNumber stream, const std::string& work,
                        std::span<const Access> accesses) {
  races_.begin(participant(stream));
  for (const Access& access : accesses) note(participant(stream), work, access);
}

Ticket Device::ticket_of(std::size_t own) const {
  Ticket ticket{own, races_.clock(own).of(own), races_.clock(own)};
  ticket.known.join(races_.clock(RaceDetector::host));
  return ticket;
}

void Device::see(const std::string& work, const Ticket& ticket, const Access& access) {
  if (!options_.sees_accesses) return;
  access_order_.begin(work, ticket);
  const Moment& at = access_order_.moment();
  Allocation& allocation = arena_.find(access.data, access.bytes, work);
  const AccessKind kind = access.mode == Mode::read ? AccessKind::read : AccessKind::write;
  const std::size_t offset = allocation.offset_of(access.data);
  const Rival* rival = allocation.history.note(offset, access.bytes, kind, at, at.kernel);
  if (rival != nullptr)
    findings_.report(
        "race: nothing orders '{}' and '{}' on '{}', offset {}, {} bytes; an event or a wait is "
        "missing",
        access_order_.work_at(rival->who.time()), work, allocation.name, offset, access.bytes);
}

void Device::upload(StreamNumber stream, void* to, const void* from, std::size_t bytes) {
  begin_call("upload");
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
  begin_work(stream, "upload", std::array{writes(to, bytes)});
  ++counters_.uploads;
  counters_.uploaded_bytes += count(bytes);
  auto read = note_read({static_cast<const std::byte*>(from), bytes});
  queues_.add(stream, [=, this, pinned = std::move(pinned), read = std::move(read),
                       ticket = ticket(stream)] {
    arena_.find(to, bytes, "upload");
    see("upload", ticket, writes(to, bytes));
    arena_.copy_in(to, from, bytes);
  });
}

void Device::download(StreamNumber stream, void* to, const void* from, std::size_t bytes) {
  begin_call("download");
  queue_download(stream, to, from, bytes, pinned_.keep(to, bytes, "download"));
}

void Device::queue_download(StreamNumber stream, void* to, const void* from, std::size_t bytes,
                            Keeper pinned) {
  begin_work(stream, "download", std::array{reads(from, bytes)});
  ++counters_.downloads;
  counters_.downloaded_bytes += count(bytes);
  const std::span target{static_cast<std::byte*>(to), bytes};
  if (!is_to_be_read(target)) poison(target);
  queues_.add(stream, [=, this, pinned = std::move(pinned), ticket = ticket(stream)] {
    see("download", ticket, reads(from, bytes));
    arena_.require_values(from, bytes, "download");
    arena_.copy_out(to, from, bytes);
  });
}

void Device::copy(StreamNumber stream, void* to, const void* from, std::size_t bytes) {
  begin_call("copy");
  begin_work(stream, "copy", std::array{reads(from, bytes), writes(to, bytes)});
  ++counters_.copies;
  queues_.add(stream, [=, this, ticket = ticket(stream)] {
    arena_.find(from, bytes, "copy");
    arena_.find(to, bytes, "copy");
    see("copy", ticket, reads(from, bytes));
    see("copy", ticket, writes(to, bytes));
    arena_.copy_inside(to, from, bytes);
  });
}

void Device::fill(StreamNumber stream, void* to, std::byte value, std::size_t bytes) {
  begin_call("fill");
  begin_work(stream, "fill", std::array{writes(to, bytes)});
  ++counters_.fills;
  queues_.add(stream, [=, this, ticket = ticket(stream)] {
    const std::vector<std::byte> values(bytes, value);
    arena_.find(to, bytes, "fill");
    see("fill", ticket, writes(to, bytes));
    arena_.copy_in(to, values.data(), bytes);
  });
}

void Device::launch(StreamNumber stream, const std::string& kernel, std::vector<Access> accesses,
                    std::function<void()> function) {
  begin_call("launch");
  begin_work(stream, kernel, accesses);
  ++counters_.launches;
  queues_.add(stream, [=, this] {
    for (const Access& access : accesses)
      if (access.mode != Mode::write) arena_.require_values(access.data, access.bytes, kernel);
    arena_.run(kernel, accesses, function);
  });
}

void Device::launch(StreamNumber stream, const std::string& kernel,
                    std::function<void()> function) {
  begin_call("launch");
  begin_work(stream, kernel, {});
  ++counters_.launches;
  queues_.add(stream, [=, this] { arena_.run(kernel, function); });
}

void Device::launch_seen(StreamNumber stream, const std::string& kernel,
                         std::function<void(const Ticket&)> function) {
  begin_call("launch");
  begin_work(stream, kernel, {});
  ++counters_.launches;
  queues_.add(stream, [=, this, ticket = ticket(stream)] {
    arena_.run(kernel, {}, [&] { function(ticket); });
  });
}

void Device::record(StreamNumber stream, DeviceEvent& event) {
  begin_call("record");
  event = {queues_.position(stream), races_.clock(participant(stream))};
}

void Device::wait_for(StreamNumber stream, const DeviceEvent& event) {
  begin_call("wait for");
  if (!event.position) return;
  races_.order_after(participant(stream), event.clock);
  queues_.add_dependency(stream, *event.position);
}

bool Device::reached(const DeviceEvent& event) {
  begin_call("reached");
  if (event.position && !queues_.poll(*event.position)) return false;
  races_.order_after(RaceDetector::host, event.clock);
  return true;
}

void Device::wait(const DeviceEvent& event) {
  begin_call("wait");
  ++counters_.waits;
  if (event.position) queues_.finish(*event.position);
  races_.order_after(RaceDetector::host, event.clock);
}

void Device::wait(StreamNumber stream) {
  begin_call("wait");
  finish(stream);
}

void Device::finish(StreamNumber stream) {
  ++counters_.waits;
  queues_.finish(queues_.position(stream));
  races_.order_after(RaceDetector::host, races_.clock(participant(stream)));
}

void Device::wait_for_all() {
  begin_call("wait for all");
  ++counters_.waits;
  queues_.finish_all();
  races_.host_waits_for_all();
}

bool Device::is_over(StreamNumber stream) const {
  return races_.clock(RaceDetector::host).covers(races_.clock(participant(stream)));
}

bool Device::is_over(const DeviceEvent& event) const {
  return races_.clock(RaceDetector::host).covers(event.clock);
}

bool Device::is_over(const DeviceEvent& event, StreamNumber stream) const {
  Clock known = races_.clock(RaceDetector::host);
  known.join(races_.clock(participant(stream)));
  return known.covers(event.clock);
}

void Device::upload_and_wait(StreamNumber stream, void* to, const void* from, std::size_t bytes) {
  begin_call("upload and wait");
  queue_upload(stream, to, from, bytes, nullptr);
  finish(stream);
}

void Device::download_and_wait(StreamNumber stream, void* to, const void* from, std::size_t bytes) {
  begin_call("download and wait");
  queue_download(stream, to, from, bytes, nullptr);
  finish(stream);
}

}  // namespace op2::test::gpu
