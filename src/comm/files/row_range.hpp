// SPDX-License-Identifier: BSD-3-Clause
// Which rows of a map or dat are read or written.
#pragma once

#include <algorithm>
#include <cstdint>

#include <comm/partition/block_mesh.hpp>

namespace op2::comm {

/// Rows [first, first + count), counted over all ranks.
struct RowRange {
  std::int64_t first, count;
};

/// Those of a rank's block.
inline RowRange overlap(const Blocks& blocks, int rank, const RowRange& rows) {
  const std::int64_t begin = std::max<std::int64_t>(blocks.begin[rank], rows.first);
  const std::int64_t end = std::min<std::int64_t>(blocks.begin[rank + 1], rows.first + rows.count);
  return {begin, std::max<std::int64_t>(0, end - begin)};
}

}  // namespace op2::comm
