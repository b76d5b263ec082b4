// SPDX-License-Identifier: BSD-3-Clause
// Which rows of a map or dat are read or written.
#pragma once

#include <cstdint>

namespace op2::comm {

/// Rows [first, first + count), counted over all ranks.
struct RowRange {
  std::int64_t first, count;
};

}  // namespace op2::comm
