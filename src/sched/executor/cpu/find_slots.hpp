// SPDX-License-Identifier: BSD-3-Clause
// Which rows need slots, and which slot each element gets. Pure functions of index arrays: local.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <core/mesh.hpp>
#include <sched/executor/cpu/slots.hpp>
#include <sched/row_access.hpp>

namespace op2::sched {

/// A column of a map through which elements add rows.
struct AddedColumn {
  const core::Map* map;
  std::int32_t column;
  auto operator<=>(const AddedColumn&) const = default;
};

/// Elements [begin, end) that a unit of a schedule (slots.hpp) executes.
struct ExecutedRange {
  std::int64_t begin, end;
  std::int64_t unit;
};

/// The places of elements [0, end) in the canonical order; empty if they are stored in this order.
/// @param followed  the map by which elements of the set are sorted first, or null
std::vector<std::int64_t> canonical_places(const core::Set& set, const core::Map* followed,
                                           std::int64_t end);

/// Finds the slots of the steps that add through the same columns.
class SlotFinder {
 public:
  /// @param end       of the elements of all steps: [0, end)
  /// @param columns   in the order of the arguments; at least one
  /// @param followed  the map by which elements of the set are sorted first, or null
  SlotFinder(const core::Set& set, std::int64_t end, std::span<const AddedColumn> columns,
             const core::Map* followed);

  /// Notes what a step executes, in this order. Cost O(ranges) if elements are stored and executed
  /// in the canonical order, else O(elements).
  void visit(std::span<const ExecutedRange> ranges);
  /// Whether a row's elements were not visited in the canonical order.
  bool any() const { return any_; }

  /// Gives slots to all elements of such rows. Cost O(elements).
  void assign(SlotTable& table) const;

 private:
  struct Addition {
    std::int32_t row, column, element;
  };
  /// An element's part of a row.
  struct Contribution {
    std::int64_t key;
    std::int32_t column, element;
    auto operator<=>(const Contribution&) const = default;
  };
  std::int64_t key_of(std::int64_t element) const {
    return keys_.empty() ? element : keys_[static_cast<std::size_t>(element)];
  }
  void note_slotted(std::int64_t row);
  std::vector<Addition> additions_to_slots() const;
  std::vector<SlottedRow> count_rows(std::span<const Addition> additions) const;
  void add_maps(std::span<const Contribution> all, SlotTable& table) const;

  std::int64_t end_;
  std::vector<AddedColumn> columns_;
  std::vector<RowAccess> accesses_;     ///< of the columns
  std::vector<std::int64_t> keys_;      ///< of the elements; empty: their rows are in order
  std::vector<std::int64_t> last_key_;  ///< per target, in this step
  std::vector<char> is_slotted_;        ///< per target, in any step
  bool any_ = false;
};

}  // namespace op2::sched
