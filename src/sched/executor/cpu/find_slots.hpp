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
  /// First elements of ranges that are executed before the one that is stored before them.
  /// Ascending. Elements with none between them are executed in the order in which they are stored.
  std::vector<std::int64_t> turns() const;

 private:
  struct Numbered {
    std::int64_t begin, end;
    std::int32_t number;
  };
  std::vector<Numbered> sorted_;      ///< and one behind all elements
  std::vector<std::uint32_t> first_;  ///< of these, for each block: none before ends in it or later
  std::int64_t end_ = 0;
};

/// Elements, of which one can ask whether any is in a range. A bit and half a bit for each element.
class ElementBits {
 public:
  explicit ElementBits(std::int64_t end) : words_(static_cast<std::size_t>(end / 64 + 1)) {}
  void add(std::int64_t element);
  bool empty() const { return empty_; }
  /// When all were added, before the first question.
  void count();
  /// Whether any element is in (first, last].
  bool any_between(std::int64_t first, std::int64_t last) const {
    return number_up_to(first) != number_up_to(last);
  }

 private:
  struct Word {
    std::uint64_t bits = 0;
    std::int32_t before = 0;  ///< elements in the words before
  };
  std::int32_t number_up_to(std::int64_t element) const;

  std::vector<Word> words_;
  bool empty_ = true;
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
/// then `find_rows`, and if there are any, `collect`; for each step `find_direct`; then the rest.
class SlotFinder {
 public:
  /// @param end       of the elements of all steps: [0, end)
  /// @param columns   in the order of the arguments; at least one
  /// @param followed  the map by which elements of the set are sorted first, or null
  SlotFinder(const core::Set& set, std::int64_t end, std::span<const AddedColumn> columns,
             const core::Map* followed);

  /// Notes where a step executes elements in another order than that in which they are stored.
  /// @param ranges  in the order of execution
  void note(std::span<const ExecutedRange> ranges);
  /// Finds the rows to which steps may add in another order than the canonical one; whether there
  /// are any. Cost: a pass over the maps, and some nanoseconds for each row; nothing if elements
  /// are stored and executed in the canonical order.
  bool find_rows();

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
  std::vector<Span> spans() const;
  std::int32_t direct_of(const LateRow& row, const RangeFinder& ranges) const;
  std::vector<Addition> additions_to_noted_rows() const;

  std::int64_t end_;
  std::vector<AddedColumn> columns_;
  std::vector<RowAccess> accesses_;  ///< of the columns
  std::vector<std::int64_t> keys_;   ///< of the elements; empty: their rows are in order
  ElementBits turns_;                ///< of all steps
  std::vector<char> is_noted_;       ///< per target
  std::vector<LateRow> rows_;
  std::vector<Contribution> contributions_;
};

}  // namespace op2::sched
