// SPDX-License-Identifier: BSD-3-Clause
// What loops on a device need of a mesh beside its dats: maps column by column, so that
// neighbouring threads read neighbouring entries; the indices that kernels get for rows; which
// increments each row gets, for kernels in which rows add them, and memory for what elements add.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <core/array.hpp>
#include <core/mesh.hpp>
#include <sched/rows.hpp>

namespace op2::sched {

/// Rows, and the increments of each in the order in which the row adds them. The functions that
/// make lists are pure functions of index arrays.
struct IncrementLists {
  /// What threads execute: the rows, ascending, are at these positions.
  IndexRange positions{0, 0};
  std::vector<std::int32_t> rows;        ///< [positions]; empty: each position is a row
  std::vector<std::int32_t> start;       ///< [positions + 1]: where the increments of each begin
  std::vector<std::int32_t> increments;  ///< elements or parts
};

/// For each row that elements add to, these elements: each once for a row, ascending.
/// Cost: two passes over the columns for these elements, and one over the rows of the set.
/// @param columns  the columns of maps onto one set through which an element adds; at least one
/// @throws Error too_large  there may be more than 2^31 - 1 increments
IncrementLists elements_by_row(std::span<const RowAccess> columns, IndexRange elements);

/// The same for `rows`, also those that no element adds to.
IncrementLists elements_by_row(std::span<const RowAccess> columns, IndexRange elements,
                               IndexRange rows);

/// For sums in order: the parts that each row adds. Part c of element e, what the element adds
/// through the c-th column, is number e * columns + c (jit/target/cuda/kernel_parameters.hpp). The
/// interior phase has run elements [0, interior), the boundary phase the others up to `end`; the
/// first lists are of rows to which no element of the boundary phase adds, the second ones of all
/// others to which elements add. Parts are in the order of their elements' positions, and of an
/// element in that of the columns. All rows are listed.
/// @param positions  of elements [0, end) in the canonical order; empty: ascending
/// Cost: three passes over the columns, and sorting the elements unless `positions` is empty.
/// @throws Error too_large  there may be more than 2^31 - 1 parts
std::array<IncrementLists, 2> parts_by_row(std::span<const RowAccess> columns,
                                           std::span<const std::int64_t> positions,
                                           std::int64_t interior, std::int64_t end);

/// Increments of a row; 0 without rows.
std::int64_t most_increments(const IncrementLists& lists);

/// Addresses on the device; see IncrementLists.
struct IncrementTable {
  IndexRange positions{0, 0};
  const std::int32_t* rows = nullptr;  ///< null: each position is a row
  const std::int32_t* start = nullptr;
  const std::int32_t* increments = nullptr;
  std::size_t bytes = 0;  ///< of the three lists, each of which a kernel reads once
  std::int64_t most = 0;  ///< increments of a row, at most
};

class DeviceTables {
 public:
  /// Both outlive the tables.
  DeviceTables(core::DeviceCopies& copies, const core::Mesh& mesh) : copies_(copies), mesh_(mesh) {}

  // All functions throw Error out_of_memory and device_failure. Sets and maps must stay as they are
  // until `clear`.

  /// The entries of one column of a map, shape [elements], on the device; null if the map is empty.
  /// Cost, once per map: a pass over its entries, and as many bytes on the device.
  const std::int32_t* column_of(const core::Map& map, int column);

  /// The index that kernels get for each local row of a set, shape [rows], on the device; null: the
  /// row itself.
  const std::int32_t* numbers_of(const core::Set& set);

  /// A second buffer for the rows of a dat, for plans that move rows between the two: every plan
  /// finds the rows in the first one, and leaves them there. All zeros at first; null
  /// for a dat without rows.
  core::DeviceAddress second_of(const core::Dat& dat);

  // Increment lists, and memory for parts. Loops that add through the same columns share them: a
  // plan orders what its steps add to a row, so a part is added before another step stores it anew.

  /// The elements that add to each row. Cost, once: as elements_by_row; the lists have an entry per
  /// increment and two per row, on the device.
  /// @param set  whose elements add
  /// @throws Error too_large, too, as `parts`
  IncrementTable elements(const core::Set& set, const std::vector<RowAccess>& columns,
                          IndexRange elements);
  /// The same for these rows of the set that the columns lead to, also without increments.
  IncrementTable elements(const core::Set& set, const std::vector<RowAccess>& columns,
                          IndexRange elements, IndexRange rows);

  /// The parts that each row adds after the interior phase, which runs elements [0, interior), and
  /// after the boundary phase, which runs the others up to `end`. Cost, once: as parts_by_row.
  std::array<IncrementTable, 2> parts(const core::Set& set, const std::vector<RowAccess>& columns,
                                      std::int64_t interior, std::int64_t end);
  /// Memory for the parts of a dat, shape [elements x columns x dim].
  /// @param elements  of the set, equal in all calls until `clear`
  core::DeviceAddress memory_of_parts(const core::Dat& dat, const std::vector<RowAccess>& columns,
                                      std::int64_t elements);

  /// To be called when rows or maps have moved, and nothing runs that uses the tables.
  void clear();

 private:
  enum class Kind { elements, elements_of_rows, parts };
  struct Key {
    Kind kind;
    const core::Set* set;
    std::vector<RowAccess> columns;
    IndexRange elements;  ///< of parts: of the boundary phase
    IndexRange rows;      ///< of elements_of_rows
    auto operator<=>(const Key&) const = default;
  };
  struct Stored {
    core::ListedBuffer memory;
    std::vector<IncrementTable> tables;  ///< of elements one, of parts one for each phase
  };
  template <class Make>
  const std::vector<IncrementTable>& find(const Key& key, const Make& make);
  core::ListedBuffer on_device(const std::string& label,
                               std::span<const std::int32_t> entries) const;

  core::DeviceCopies& copies_;
  const core::Mesh& mesh_;
  std::unordered_map<const core::Map*, core::ListedBuffer> columns_;
  std::unordered_map<const core::Set*, core::ListedBuffer> numbers_;
  std::unordered_map<const core::Dat*, core::ListedBuffer> second_;
  std::map<Key, Stored> increments_;
  std::map<std::pair<const core::Dat*, std::vector<RowAccess>>, core::ListedBuffer> parts_;
};

}  // namespace op2::sched
