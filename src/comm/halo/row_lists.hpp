// SPDX-License-Identifier: BSD-3-Clause
// Single rows of halos, where an exchange needs not all of a level.
#pragma once

#include <memory>
#include <vector>

#include <comm/halo/halo_plan.hpp>
#include <comm/messages/communicator.hpp>

namespace op2::comm {

/// Halo rows of a set that an exchange brings. Ranks ascend in both lists.
struct RowLists {
  std::vector<ExportList> imports;  ///< per owner: the local rows, ascending
  std::vector<ExportList> exports;  ///< per rank: the own rows, in the order of its import list
};

/// Halo rows of a set that this rank needs.
struct WantedRows {
  int set;
  std::vector<std::int32_t> rows;  ///< ascending
};

/// Tells the owners which rows are needed. Collective, with equal sets on all ranks. Cost: a sparse
/// exchange, and 8 bytes per row.
std::vector<std::shared_ptr<const RowLists>> agree_on_rows(Communicator& communicator,
                                                           const HaloPlan& plan,
                                                           const std::vector<WantedRows>& wanted);

}  // namespace op2::comm
