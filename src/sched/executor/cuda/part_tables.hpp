// SPDX-License-Identifier: BSD-3-Clause
// Part lists and memory for parts on a device. Steps that add to a dat through the same columns
// share its parts: a plan orders what its steps add to a row, so a part is added before another
// step stores it anew.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <core/array.hpp>
#include <core/mesh.hpp>
#include <sched/executor/cuda/part_lists.hpp>

namespace op2::sched {

/// Addresses on the device; see PartLists.
struct PartTable {
  std::int64_t rows_count = 0;
  const std::int32_t* rows = nullptr;
  const std::int32_t* start = nullptr;
  const std::int32_t* parts = nullptr;
};

class PartTables {
 public:
  /// Both outlive the tables.
  PartTables(core::DeviceCopies& copies, const core::Mesh& mesh) : copies_(copies), mesh_(mesh) {}

  /// Of the interior phase, which runs elements [0, interior), and of the boundary phase, which
  /// runs the others up to `end`. The columns must stay as they are until `clear`. Cost, once: as
  /// make_part_lists; an entry per part and two per row, on the host and on the device.
  /// @param set  whose elements add
  /// @throws Error too_large, out_of_memory, device_failure
  std::array<PartTable, 2> lists_of(const core::Set& set, const std::vector<RowAccess>& columns,
                                    std::int64_t interior, std::int64_t end);

  /// Memory for the parts of a dat, shape [elements x columns x dim].
  /// @param elements  of the set, equal in all calls until `clear`
  /// @throws Error out_of_memory, device_failure
  core::DeviceAddress parts_of(const core::Dat& dat, const std::vector<RowAccess>& columns,
                               std::int64_t elements);

  void clear();

 private:
  struct Key {
    const core::Set* set;
    std::vector<RowAccess> columns;
    std::int64_t interior, end;
    auto operator<=>(const Key&) const = default;
  };
  struct Table {
    std::array<std::size_t, 2> rows{}, parts{};  ///< lengths of the lists, per phase
    core::Array lists;                           ///< of both phases, one after the other
  };
  void fill(Table& table, const Key& key);

  core::DeviceCopies& copies_;
  const core::Mesh& mesh_;
  std::map<Key, Table> tables_;
  std::map<std::pair<const core::Dat*, std::vector<RowAccess>>, core::ListedBuffer> parts_;
};

}  // namespace op2::sched
