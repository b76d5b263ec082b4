// SPDX-License-Identifier: BSD-3-Clause
// Which rank has found the first of some faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <comm/messages/communicator.hpp>

namespace op2::api {

/// Where a fault is: of several arrays or arguments one, and in it the lowest element.
struct ElementPlace {
  std::size_t position;
  std::int64_t element;  ///< global index, below 2^40
};

struct FirstOfRanks {
  bool any;      ///< a rank has found a fault
  bool is_mine;  ///< this rank has found the first one; others may have the same
};

/// Compares what each rank has found, if anything. Collective; call `Runtime::enter` before.
FirstOfRanks first_of_ranks(comm::Communicator& ranks, const std::optional<ElementPlace>& mine);

}  // namespace op2::api
