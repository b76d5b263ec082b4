// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/staging.hpp>

#include <algorithm>
#include <cstring>

#include <gpu/driver_memory.hpp>

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

}  // namespace

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
