// SPDX-License-Identifier: BSD-3-Clause
// What loops on a device need of a mesh beside its dats: maps column by column, so that
// neighbouring threads read neighbouring entries; the indices that kernels get for rows; which
// iterations add to which rows.
#pragma once

#include <cstdint>
#include <unordered_map>

#include <core/array.hpp>
#include <core/mesh.hpp>
#include <sched/executor/cuda/part_tables.hpp>
#include <sched/executor/cuda/pull_tables.hpp>

namespace op2::sched {

class DeviceTables {
 public:
  /// Both outlive the tables.
  DeviceTables(core::DeviceCopies& copies, const core::Mesh& mesh)
      : copies_(copies), pull_(copies), parts_(copies, mesh) {}

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

  /// For loops in which rows gather increments.
  PullTables& pull() { return pull_; }

  /// For loops whose sums are in order.
  PartTables& parts() { return parts_; }

  /// To be called when rows or maps have moved, and nothing runs that uses the tables.
  void clear();

 private:
  core::DeviceCopies& copies_;
  std::unordered_map<const core::Map*, core::Array> columns_;
  std::unordered_map<const core::Set*, core::Array> numbers_;
  std::unordered_map<const core::Dat*, core::ListedBuffer> second_;
  PullTables pull_;
  PartTables parts_;
};

}  // namespace op2::sched
