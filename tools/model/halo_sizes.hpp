// SPDX-License-Identifier: BSD-3-Clause
// The sizes of the nested sets W_h of every rank (docs/design/halo-algebra.md), and the rows that
// each imports, for a mesh that one process has as a whole: what build_halo_plan would make on so
// many ranks, in numbers.
#pragma once

#include <cstdint>
#include <vector>

#include <comm/partition/block_mesh.hpp>
#include <core/layout.hpp>

namespace op2::model {

/// Rows that one rank imports from another.
struct Imports {
  int rank = 0;                                 ///< their owner
  std::vector<std::vector<std::int32_t>> rows;  ///< shape [set][level - 1]
  bool operator==(const Imports&) const = default;
};

struct RankHalo {
  /// Rows of W_h: shape [set][h - core::deepest_tracked], for h up to the highest level.
  std::vector<std::vector<std::int32_t>> within;
  std::vector<Imports> imports;  ///< ascending ranks
  bool operator==(const RankHalo&) const = default;

  std::int32_t rows(int set, core::Level h) const {
    return h < core::deepest_tracked ? 0
                                     : within[static_cast<std::size_t>(set)]
                                             [static_cast<std::size_t>(h - core::deepest_tracked)];
  }
};

/// The lowest level that ranks distinguish, as comm::build_halo_plan decides it. Local.
/// @param mesh    declared by one rank
/// @param owners  of each set, in [0, parts)
core::Level level_limit(const comm::BlockMesh& mesh, const std::vector<comm::Owners>& owners,
                        int parts);

/// Local. Cost: a pass over the maps for each level below 0, and work in proportion to the halos.
/// @param mesh    declared by one rank
/// @param owners  of each set, in [0, parts)
/// @param level   the highest; even
std::vector<RankHalo> halo_sizes(const comm::BlockMesh& mesh,
                                 const std::vector<comm::Owners>& owners, int parts,
                                 core::Level level);

/// Of each set: its elements belong to the ranks of their only targets, as the library finds it
/// (comm/halo/halo_plan.hpp).
std::vector<char> sets_with_local_map(const comm::BlockMesh& mesh,
                                      const std::vector<comm::Owners>& owners);

}  // namespace op2::model
