// SPDX-License-Identifier: BSD-3-Clause
// A mesh as declared: each rank declares one contiguous block of global indices of every set, in
// rank order. The declaring rank of a block answers questions about its elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace op2::comm {

using GlobalId = std::int64_t;

/// begin[r] is the first element that rank r declares; begin[ranks] is the size of the set.
struct Blocks {
  std::vector<GlobalId> begin;

  GlobalId size() const { return begin.back(); }
  std::int32_t count(int rank) const {
    return static_cast<std::int32_t>(begin[rank + 1] - begin[rank]);
  }
  bool declares(int rank, GlobalId id) const { return id >= begin[rank] && id < begin[rank + 1]; }
  /// The rank that declares an element. Cost O(log ranks).
  int declaring_rank(GlobalId id) const {
    return static_cast<int>(std::upper_bound(begin.begin(), begin.end(), id) - begin.begin()) - 1;
  }
};

/// Blocks of almost equal size: the first `size % ranks` ranks declare one element more.
inline Blocks equal_blocks(GlobalId size, int ranks) {
  Blocks blocks;
  for (int rank = 0; rank <= ranks; ++rank)
    blocks.begin.push_back(size / ranks * rank + std::min<GlobalId>(rank, size % ranks));
  return blocks;
}

/// Rows of a map that this rank declares.
struct BlockMap {
  int from, to;  ///< indices of sets
  int arity;
  std::vector<GlobalId> targets;  ///< global indices, shape [declared elements of `from` x arity]
};

/// The rows of a map that this process has; owns nothing.
struct MapView {
  static constexpr std::int32_t remote = -1;
  int from, to;  ///< indices of sets
  int arity;
  std::span<const std::int32_t> targets;  ///< shape [elements of `from` here x arity]
};

struct BlockMesh {
  std::vector<Blocks> sets;
  std::vector<BlockMap> maps;
};

/// The rank that is to own each declared element of one set: shape [declared elements].
using Owners = std::vector<std::int32_t>;

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
