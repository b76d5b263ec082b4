// SPDX-License-Identifier: BSD-3-Clause
// What loops on a device need of a mesh beside its dats: maps column by column, so that
// neighbouring threads read neighbouring entries; the indices that kernels get for rows; which
// elements add to which rows, and memory for what they add.
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
#include <sched/executor/cuda/lists.hpp>

namespace op2::sched {

/// Addresses on the device; see IncrementLists.
struct IncrementTable {
  IndexRange positions{0, 0};
  const std::int32_t* rows = nullptr;  ///< null: each position is a row
  const std::int32_t* start = nullptr;
  const std::int32_t* increments = nullptr;
  std::size_t bytes = 0;  ///< of the three lists, each of which a kernel reads once
  std::int64_t most = 0;  ///< increments of a row, at most
};

/// Increment lists, and memory for parts. Loops that add through the same columns share them: a
/// plan orders what its steps add to a row, so a part is added before another step stores it anew.
class IncrementTables {
 public:
  /// Both outlive the tables.
  IncrementTables(core::DeviceCopies& copies, const core::Mesh& mesh)
      : copies_(copies), mesh_(mesh) {}

  /// The elements that add to each row. The columns must stay as they are until `clear`, as for all
  /// functions. Cost, once: as elements_by_row; the lists have an entry per increment and two per
  /// row, on the host and on the device.
  /// @param set  whose elements add
  /// @throws Error too_large, out_of_memory, device_failure, as all functions
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
  /// Lengths of lists that are stored one after the other.
  struct ListShape {
    IndexRange positions;
    std::size_t rows, start, increments;
    std::int64_t most;
    std::size_t size() const { return rows + start + increments; }
  };
  struct Stored {
    std::vector<ListShape> shapes;  ///< of elements one, of parts one for each phase
    core::Array lists;
  };

  template <class Make>
  std::vector<IncrementTable> find(Key key, const Make& make);
  void store(Stored& stored, std::span<const IncrementLists> all, const core::Set& set);

  core::DeviceCopies& copies_;
  const core::Mesh& mesh_;
  std::map<Key, Stored> stored_;
  std::map<std::pair<const core::Dat*, std::vector<RowAccess>>, core::ListedBuffer> parts_;
};

class DeviceTables {
 public:
  /// Both outlive the tables.
  DeviceTables(core::DeviceCopies& copies, const core::Mesh& mesh)
      : copies_(copies), increments_(copies, mesh) {}

  /// The entries of one column of a map, shape [elements], on the device; null if the map is empty.
  /// The rows of the map must stay as they are until `clear`. Cost, once per map: a pass over its
  /// entries, and as many bytes on the host and on the device.
  /// @throws Error out_of_memory, device_failure
  const std::int32_t* column_of(const core::Map& map, int column);

  /// The index that kernels get for each local row of a set, shape [rows], on the device; null: the
  /// row itself.
  /// @throws Error out_of_memory, device_failure
  const std::int32_t* numbers_of(const core::Set& set);

  /// A second buffer for the rows of a dat, for plans that move rows between the two: every plan
  /// finds the rows in the first one, and leaves them there. All zeros at first; null
  /// for a dat without rows.
  /// @throws Error out_of_memory, device_failure
  core::DeviceAddress second_of(const core::Dat& dat);

  /// For loops in which rows gather increments, and for those whose sums are in order.
  IncrementTables& increments() { return increments_; }

  /// To be called when rows or maps have moved, and nothing runs that uses the tables.
  void clear();

 private:
  core::DeviceCopies& copies_;
  std::unordered_map<const core::Map*, core::Array> columns_;
  std::unordered_map<const core::Set*, core::Array> numbers_;
  std::unordered_map<const core::Dat*, core::ListedBuffer> second_;
  IncrementTables increments_;
};

}  // namespace op2::sched
