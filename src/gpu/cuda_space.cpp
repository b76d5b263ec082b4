// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/cuda_space.hpp>

#include <algorithm>
#include <cstring>
#include <new>

namespace op2::gpu {
namespace {

/// Queues copies and waits for them; where queueing fails, for those that were queued. Called for
/// any reading of an array by the host, also while the program uses another context.
template <class Queue>
void queue_and_wait(CudaStream& stream, Queue queue) {
  const CurrentContext current(&stream.driver());
  try {
    queue();
  } catch (...) {
    stream.driver().call_and_ignore(&DriverApi::stream_wait, stream.handle());
    throw;
  }
  stream.wait();
}

void expect_memory(const Driver& driver, const char* call, int result) {
  if (result == DriverResult::out_of_memory) throw std::bad_alloc();
  if (result != DriverResult::success) driver.fail(call, result);
}

// A lack of memory has an own exception. @throws std::bad_alloc; Error device_failure

DevicePointer allocate_device(const Driver& driver, std::size_t bytes) {
  DevicePointer memory = 0;
  expect_memory(driver, driver.api().memory_allocate.name(),
                driver.result_of(&DriverApi::memory_allocate, &memory, bytes));
  return memory;
}

void* allocate_pinned(const Driver& driver, std::size_t bytes) {
  void* memory = nullptr;
  expect_memory(driver, driver.api().pinned_allocate.name(),
                driver.result_of(&DriverApi::pinned_allocate, &memory, bytes, 0U));
  return memory;
}

}  // namespace

CudaSpace::CudaSpace(const Driver& driver)
    : driver_(driver),
      staging_(std::make_unique<Staging>(driver)),
      main_(std::make_unique<CudaStream>(driver, *staging_)) {}

CudaSpace::~CudaSpace() = default;

core::DeviceAddress CudaSpace::allocate(std::size_t bytes) {
  return address(allocate_device(driver_, bytes));
}

void CudaSpace::release(core::DeviceAddress memory) noexcept {
  if (memory) driver_.call_later(&DriverApi::memory_free, pointer(memory));
}

std::byte* CudaSpace::allocate_pinned(std::size_t bytes) {
  return static_cast<std::byte*>(gpu::allocate_pinned(driver_, bytes));
}

void CudaSpace::release_pinned(std::byte* memory) noexcept {
  if (memory != nullptr) driver_.call_later(&DriverApi::pinned_free, memory);
}

std::unique_ptr<core::Stream> CudaSpace::make_stream() {
  return std::make_unique<CudaStream>(driver_, *staging_);
}

std::unique_ptr<core::Event> CudaSpace::make_event() {
  return std::make_unique<CudaEvent>(driver_);
}

core::DeviceRoom CudaSpace::room() {
  core::DeviceRoom room{};
  driver_.call(&DriverApi::memory_info, &room.free, &room.total);
  return room;
}

Staging::Staging(const Driver& driver) : driver_(driver), halves_{Half(driver), Half(driver)} {
  memory_ = allocate_pinned(driver, 2 * half_bytes);
  halves_[0].memory = static_cast<std::byte*>(memory_);
  halves_[1].memory = halves_[0].memory + half_bytes;
}

Staging::~Staging() {
  driver_.call_and_ignore(&DriverApi::pinned_free, memory_);
}

void Staging::upload(CudaStream& stream, core::DeviceAddress to, const std::byte* from,
                     std::size_t bytes) {
  queue_and_wait(stream, [&] { queue_uploads(stream, to, from, bytes); });
}

void Staging::download(CudaStream& stream, std::byte* to, core::DeviceAddress from,
                       std::size_t bytes) {
  queue_and_wait(stream, [&] { queue_downloads(stream, to, from, bytes); });
}

void Staging::queue_uploads(CudaStream& stream, core::DeviceAddress to, const std::byte* from,
                            std::size_t bytes) {
  for (std::size_t at = 0, turn = 0; at < bytes; at += half_bytes, ++turn) {
    Half& half = halves_[turn % 2];
    if (turn >= 2) half.copied.wait();
    const std::size_t size = std::min(half_bytes, bytes - at);
    std::memcpy(half.memory, from + at, size);
    stream.upload(to + at, half.memory, size);
    stream.record(half.copied);
  }
}

void Staging::queue_downloads(CudaStream& stream, std::byte* to, core::DeviceAddress from,
                              std::size_t bytes) {
  const auto take = [&](std::size_t at) {
    Half& half = halves_[at / half_bytes % 2];
    half.copied.wait();
    std::memcpy(to + at, half.memory, std::min(half_bytes, bytes - at));
  };
  for (std::size_t at = 0; at < bytes; at += half_bytes) {
    Half& half = halves_[at / half_bytes % 2];
    stream.download(half.memory, from + at, std::min(half_bytes, bytes - at));
    stream.record(half.copied);
    if (at > 0) take(at - half_bytes);
  }
  if (bytes > 0) take((bytes - 1) / half_bytes * half_bytes);
}

}  // namespace op2::gpu
