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
  bool operator==(const ExecutedRange&) const = default;
};

/// Finds the ranges of elements, in a few nanoseconds: blocks of elements know their first range.
class RangeFinder {
 public:
  /// @param ranges  in the order of execution; no element is in two
  explicit RangeFinder(std::span<const ExecutedRange> ranges);
  /// The number of the range; -1: the element is not executed.
  std::int32_t of(std::int64_t element) const;
  /// Counts, up to the element, ranges that are executed before the one that is stored before them.
  /// Elements of the same count are executed in the order in which they are stored.
  std::int32_t turns(std::int64_t element) const;
  /// Of all ranges.
  std::int64_t end() const { return end_; }

 private:
  struct Numbered {
    std::int64_t begin, end;
    std::int32_t number, turns;
  };
  const Numbered& at_or_after(std::int64_t element) const;

  std::vector<Numbered> sorted_;      ///< and one behind all elements
  std::vector<std::uint32_t> first_;  ///< of these, for each block: none before ends in it or later
  std::int64_t end_ = 0;
};

/// The places of elements [0, end) in the canonical order; empty if they are stored in this order.
/// @param followed  the map by which elements of the set are sorted first, or null
std::vector<std::int64_t> canonical_places(const core::Set& set, const core::Map* followed,
                                           std::int64_t end);

/// What an element adds to a row.
struct Contribution {
  std::int64_t key;  ///< the element's place in the canonical order
  std::int32_t column, element;
  auto operator<=>(const Contribution&) const = default;
};

/// A row to which elements add in another order than the canonical one, in any step.
struct LateRow {
  std::int32_t row, first, count;  ///< its contributions, in the canonical order
  std::int32_t direct;             ///< the first ones, which all steps execute in this order
};

/// Finds the slots of the steps that add through the same columns. For each step, first `note`;
/// then `collect`; then for each step `find_direct`; then the rest.
class SlotFinder {
 public:
  /// @param end       of the elements of all steps: [0, end)
  /// @param columns   in the order of the arguments; at least one
  /// @param followed  the map by which elements of the set are sorted first, or null
  SlotFinder(const core::Set& set, std::int64_t end, std::span<const AddedColumn> columns,
             const core::Map* followed);

  /// Notes rows that a step may execute in another order. Cost: O(ranges) if elements are stored
  /// and executed in the canonical order; else some nanoseconds for each row, and for the first
  /// step a pass over the maps.
  /// @param ranges  in the order of execution
  void note(std::span<const ExecutedRange> ranges);
  /// Whether any row was noted.
  bool any() const { return any_; }

  /// Collects what is added to these rows. Cost: a pass over the maps.
  void collect();
  /// Finds which of that a step may add at once.
  void find_direct(std::span<const ExecutedRange> ranges);
  /// Forgets the rows of which that is all.
  void drop_direct_rows();

  /// Ascending rows.
  std::span<const LateRow> rows() const { return rows_; }
  /// Gives slots to what is not added at once.
  void assign(SlotTable& table) const;
  /// For each row the last unit of a step that adds to it, or -1.
  std::vector<std::int64_t> last_units(std::span<const ExecutedRange> ranges) const;

 private:
  struct Addition {
    std::int32_t row, column, element;
  };
  /// The first and the last element that add to a row.
  struct Span {
    std::int32_t first = -1, last = -1;
    bool is_sorted = true;  ///< they and those between are stored in the canonical order
  };
  std::int64_t key_of(std::int64_t element) const {
    return keys_.empty() ? element : keys_[static_cast<std::size_t>(element)];
  }
  std::span<const Contribution> contributions_of(const LateRow& row) const {
    return std::span(contributions_)
        .subspan(static_cast<std::size_t>(row.first), static_cast<std::size_t>(row.count));
  }
  bool is_canonical(std::span<const ExecutedRange> ranges) const;
  void find_spans();
  std::int32_t direct_of(const LateRow& row, const RangeFinder& ranges) const;
  std::vector<Addition> additions_to_noted_rows() const;

  std::int64_t end_;
  std::vector<AddedColumn> columns_;
  std::vector<RowAccess> accesses_;  ///< of the columns
  std::vector<std::int64_t> keys_;   ///< of the elements; empty: their rows are in order
  std::vector<Span> spans_;          ///< per target; empty: not needed yet
  std::vector<char> is_noted_;       ///< per target
  bool any_ = false;
  std::vector<LateRow> rows_;
  std::vector<Contribution> contributions_;
};

}  // namespace op2::sched
