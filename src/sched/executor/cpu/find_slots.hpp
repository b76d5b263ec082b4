// SPDX-License-Identifier: BSD-3-Clause
// Which rows need slots, and which slot each element gets. Pure functions of index arrays: local.
#pragma once

#include <cstdint>
#include <limits>
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

/// Finds the slots of the steps that add through the same columns. For each step: `begin_step`, and
/// `visit` for its ranges of iterations in the order of their execution.
class SlotFinder {
 public:
  /// @param columns   in the order of the arguments; at least one
  /// @param followed  the map by which elements of the set are sorted first, or null
  SlotFinder(const core::Set& set, std::span<const AddedColumn> columns, const core::Map* followed);

  void begin_step();
  void visit(std::int64_t begin, std::int64_t end);
  /// Whether a row's elements were not visited in the canonical order.
  bool any() const { return any_; }

  /// Gives slots to all elements of such rows.
  void assign(SlotTable& table) const;

 private:
  /// An element's part of a row.
  struct Contribution {
    std::int64_t key;
    std::int32_t column, element;
    auto operator<=>(const Contribution&) const = default;
  };
  std::int64_t key_of(std::int64_t element) const;
  std::vector<SlottedRow> count_rows() const;

  static constexpr std::int64_t before_all = std::numeric_limits<std::int64_t>::min();

  std::span<const std::int32_t> numbers_;  ///< of the elements
  const core::Map* followed_;
  std::span<const std::int32_t> followed_numbers_;  ///< of its targets
  std::vector<AddedColumn> columns_;
  std::vector<RowAccess> accesses_;     ///< of the columns
  std::vector<std::int64_t> last_key_;  ///< per target, in this step
  std::vector<char> is_slotted_;        ///< per target, in any step
  std::int64_t end_ = 0;                ///< of the iterations of all steps
  bool any_ = false;
};

}  // namespace op2::sched
