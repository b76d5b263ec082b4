// SPDX-License-Identifier: BSD-3-Clause
// A mesh as it is declared: of every set each rank holds one contiguous block of the global
// numbers, in the order of the ranks. The holder of a block answers questions about its elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace op2::comm {

using GlobalId = std::int64_t;

/// begin[r] is the first element that rank r holds; begin[ranks] is the size of the set.
struct Blocks {
  std::vector<GlobalId> begin;

  GlobalId size() const { return begin.back(); }
  std::int32_t count(int rank) const {
    return static_cast<std::int32_t>(begin[static_cast<std::size_t>(rank) + 1] -
                                     begin[static_cast<std::size_t>(rank)]);
  }
  bool holds(int rank, GlobalId id) const {
    return id >= begin[static_cast<std::size_t>(rank)] &&
           id < begin[static_cast<std::size_t>(rank) + 1];
  }
  /// The rank that holds an element. Cost O(log ranks).
  int holder(GlobalId id) const {
    return static_cast<int>(std::upper_bound(begin.begin(), begin.end(), id) - begin.begin()) - 1;
  }
};

/// Blocks of almost equal size: the first `size % ranks` ranks hold one element more.
inline Blocks equal_blocks(GlobalId size, int ranks) {
  Blocks blocks;
  for (int rank = 0; rank <= ranks; ++rank)
    blocks.begin.push_back(size / ranks * rank + std::min<GlobalId>(rank, size % ranks));
  return blocks;
}

/// Rows of a map that this rank holds.
struct BlockMap {
  int from, to;  ///< numbers of sets
  int arity;
  std::vector<GlobalId> targets;  ///< global numbers, shape [held elements of `from` x arity]
};

struct BlockMesh {
  std::vector<Blocks> sets;
  std::vector<BlockMap> maps;
};

/// The rank that is to own each held element of one set: shape [held elements].
using Owners = std::vector<std::int32_t>;

}  // namespace op2::comm
