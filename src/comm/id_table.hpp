// SPDX-License-Identifier: BSD-3-Clause
// From global numbers to local rows: a flat hash table, because whole meshes go through it.
#pragma once

#include <cstdint>
#include <vector>

#include <comm/block_mesh.hpp>

namespace op2::comm {

/// Grows as needed; nothing is ever removed. About 24 bytes per entry.
class IdTable {
 public:
  static constexpr std::int32_t none = -1;

  void reserve(std::size_t count) {
    std::size_t capacity = slots_.size();
    while (capacity < 2 * count) capacity = capacity == 0 ? 16 : 2 * capacity;
    if (capacity != slots_.size()) rehash(capacity);
  }

  /// The value of `id`, or none.
  std::int32_t find(GlobalId id) const {
    if (slots_.empty()) return none;
    const Slot& slot = slots_[place_of(id)];
    return slot.id == id ? slot.value : none;
  }

  /// Adds (id, value) unless `id` is there. @return the value that is there afterwards
  std::int32_t insert(GlobalId id, std::int32_t value) {
    reserve(count_ + 1);
    Slot& slot = slots_[place_of(id)];
    if (slot.id != id) {
      slot = {id, value};
      ++count_;
    }
    return slot.value;
  }

  /// Replaces every value v by change(v).
  template <class Change>
  void replace_values(const Change& change) {
    for (Slot& slot : slots_)
      if (slot.id != -1) slot.value = change(slot.value);
  }

 private:
  struct Slot {
    GlobalId id = -1;
    std::int32_t value = none;
  };

  /// The slot of `id`, or the free one where it belongs.
  std::size_t place_of(GlobalId id) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = (static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15u >> 20) & mask;
    while (slots_[place].id != id && slots_[place].id != -1) place = (place + 1) & mask;
    return place;
  }

  void rehash(std::size_t capacity) {
    std::vector<Slot> old(capacity);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.id != -1) slots_[place_of(slot.id)] = slot;
  }

  std::vector<Slot> slots_;  ///< a power of two of them, at most half full
  std::size_t count_ = 0;
};

}  // namespace op2::comm
