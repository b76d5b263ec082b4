// SPDX-License-Identifier: BSD-3-Clause
// The local rows of a set on one rank: ascending by level, so that every W_h is a prefix.
#pragma once

#include <cstdint>
#include <vector>

#include <core/levels.hpp>

namespace op2::core {

/// The lowest level at which rows may be distinguished; W_h below it counts as empty, so that loops
/// whose interiors would be deeper run after the messages, and not in tiles. The chains of Airfoil
/// that OP2_DEPTH_MAX allows reach -24. Each level costs a pass over the maps when the mesh is
/// distributed, and rows of different levels lie apart.
inline constexpr Level deepest_tracked = -32;

/// The lowest level of meshes whose parts are not much larger than their boundaries.
inline constexpr Level deepest_of_small_parts = -16;

/// In the reproducible mode only so many levels are distinguished as the interiors of chains reach,
/// since rows of different levels are not in the canonical order. This one is: it is that of loops
/// by themselves.
inline constexpr Level shallowest_tracked = -2;

/// The same for a set whose owned rows keep the order of the declaration. All its owned elements
/// are in W_-1, because no map starts from it.
inline constexpr Level deepest_in_declared_order = -1;

struct Layout {
  /// prefix[h - deepest_tracked] rows form W_h, for every h up to highest().
  std::vector<std::int32_t> prefix;
  std::vector<std::int64_t> global_id;  ///< of each row; empty: rows are as this rank declares them
  std::vector<std::int32_t> owner;      ///< rank that owns each row; empty: this one
  /// W_h below this level counts as empty, on every rank.
  Level deepest = deepest_tracked;
  /// The lowest that `deepest` may become; the same for all sets, on every rank.
  Level limit = deepest_tracked;
  /// On all ranks each element belongs to the rank of its only target, see ChainLoop. Levels 1 and
  /// 2 are empty.
  bool local_map = false;

  /// Of a set without halos: every level has all rows. Known up to level 2, as with halos.
  static Layout without_halos(std::int32_t rows) {
    return {std::vector<std::int32_t>(3 - deepest_tracked, rows), {}, {}};
  }

  Level highest() const { return static_cast<Level>(prefix.size()) - 1 + deepest_tracked; }

  /// Rows of W_h; h <= highest().
  std::int32_t within(Level h) const {
    return h < deepest_tracked ? 0 : prefix[static_cast<std::size_t>(h - deepest_tracked)];
  }
  std::int32_t owned() const { return within(0); }
  std::int32_t rows() const { return prefix.back(); }
};

}  // namespace op2::core
