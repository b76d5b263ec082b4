// SPDX-License-Identifier: BSD-3-Clause
// Who would own what on so many ranks.
#pragma once

#include <string>
#include <vector>

#include <comm/partition/partition.hpp>
#include <core/measurements/run_record.hpp>

namespace op2::model {

/// Owners of the elements of each set, and how they were found.
struct Parts {
  std::vector<comm::Owners> owners;
  std::string how;  ///< "Scotch k-way of set 'cells' by map 'ecell'"
};

/// The set that op_partition divides; without it the largest one. @throws Failure  no sets
int set_to_divide(const core::RunRecord& record);

/// @throws Failure  a set that is divided has fewer elements
void check_parts(const core::RunRecord& record, int parts);

/// As op_partition does it, for the whole mesh in one process: Scotch instead of PT-Scotch, and
/// instead of partitioners whose input was not recorded (rcb, external). It divides the set by a
/// map to it; without any, the targets of a map from it, which the set follows. Sets that no map
/// connects, and programs without op_partition, are in equal blocks.
/// @throws Failure  more parts than elements, or Scotch is not built in
Parts parts_of(const core::RunRecord& record, const comm::BlockMesh& mesh, int parts);

}  // namespace op2::model
