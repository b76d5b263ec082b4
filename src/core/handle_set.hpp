// SPDX-License-Identifier: BSD-3-Clause
// Addresses of records, looked up for every argument of every call: open addressing, at most half
// full.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace op2::core {

class HandleSet {
 public:
  /// Never reads through the handle. Null is never contained.
  bool contains(const void* handle) const { return slots_[slot_of(handle)] != nullptr; }

  void insert(const void* handle) {
    if (2 * (size_ + 1) > slots_.size()) refill(2 * slots_.size());
    const void*& slot = slots_[slot_of(handle)];
    size_ += slot == nullptr ? 1 : 0;
    slot = handle;
  }

  /// Cost: all handles.
  void erase(const void* handle) {
    slots_[slot_of(handle)] = nullptr;
    refill(slots_.size());
  }

  void clear() { *this = {}; }

 private:
  /// Where the handle is, or the empty slot where it would be.
  std::size_t slot_of(const void* handle) const {
    const std::size_t last = slots_.size() - 1;
    const std::uint64_t hash = reinterpret_cast<std::uintptr_t>(handle) * 0x9e3779b97f4a7c15ULL;
    std::size_t slot = hash >> shift_;
    while (slots_[slot] != nullptr && slots_[slot] != handle) slot = (slot + 1) & last;
    return slot;
  }

  /// @param slots  a power of two
  void refill(std::size_t slots) {
    const std::vector<const void*> old =
        std::exchange(slots_, std::vector<const void*>(slots, nullptr));
    shift_ = 64 - std::countr_zero(slots);
    size_ = 0;
    for (const void* handle : old)
      if (handle != nullptr) insert(handle);
  }

  std::vector<const void*> slots_ = std::vector<const void*>(16, nullptr);
  int shift_ = 60;  ///< of a hash, to a slot
  std::size_t size_ = 0;
};

}  // namespace op2::core
