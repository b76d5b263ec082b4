// SPDX-License-Identifier: BSD-3-Clause
// A map of which some entries lead to slots (slots.hpp) instead of rows. Only the elements that
// have such an entry are stored, so that it takes little memory beside the map. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <core/loop_abi.hpp>
#include <core/mesh.hpp>

namespace op2::sched {

/// An entry that leads to a slot.
struct SlotEntry {
  std::int32_t element, column;
  std::int32_t target;  ///< negative
};

/// Elements [0, end) of a map. Not to be copied: its parts point to each other.
class SlottedMap {
 public:
  /// Cost O(entries + end / 64); memory: a quarter of a byte for each element, and the entries of
  /// those in `slotted`.
  /// @param slotted  in any order
  SlottedMap(const core::Map& map, std::int64_t end, std::span<const SlotEntry> slotted);
  SlottedMap(const SlottedMap&) = delete;
  SlottedMap& operator=(const SlottedMap&) = delete;

  /// For compiled code.
  const core::SlottedElements* elements() const { return elements_.data(); }
  std::size_t bytes() const;
  /// Whether both lead everywhere to the same targets.
  bool equals(const SlottedMap& other) const;

 private:
  std::size_t place_of(std::int64_t element) const;

  const core::Map& map_;
  std::vector<core::SlottedElements> elements_;
  std::vector<std::int32_t> targets_;
};

}  // namespace op2::sched
