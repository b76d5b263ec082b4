// SPDX-License-Identifier: BSD-3-Clause
// Host memory: aligned to cache lines, zeroed, large buffers in huge pages.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace op2::core {

struct FreeMemory {
  void operator()(std::byte* memory) const;
};
using Buffer = std::unique_ptr<std::byte[], FreeMemory>;

/// `bytes` zeroed bytes, aligned to 64.
/// @throws std::bad_alloc
Buffer allocate_zeroed(std::size_t bytes);

/// Bytes, and the object that keeps them allocated.
struct HostBytes {
  std::shared_ptr<std::byte> memory;
  std::size_t size = 0;
};

/// Allocates zeroed bytes, aligned to 64: in plain memory, in memory that a device or the message
/// layer can access directly, or on a device if the message layer reads and writes that.
/// @throws std::bad_alloc
using HostAllocator = std::function<HostBytes(std::size_t bytes)>;

inline HostBytes zeroed_bytes(std::size_t bytes) {
  return {std::shared_ptr<std::byte>(allocate_zeroed(bytes).release(), FreeMemory()), bytes};
}

/// The memory of a vector.
template <class T>
HostBytes bytes_of(std::vector<T> values) {
  const auto owner = std::make_shared<std::vector<T>>(std::move(values));
  auto* const first = reinterpret_cast<std::byte*>(owner->data());
  return {std::shared_ptr<std::byte>(owner, first), owner->size() * sizeof(T)};
}

/// A view of memory that must outlive it.
template <class T>
HostBytes bytes_within(std::span<T> values) {
  auto* const first = reinterpret_cast<std::byte*>(values.data());
  return {std::shared_ptr<std::byte>(std::shared_ptr<void>(), first), values.size_bytes()};
}

/// Frees the memory of a vector or string, which `= {}` and `clear` keep.
template <class Container>
void release(Container& container) {
  Container().swap(container);
}

}  // namespace op2::core
