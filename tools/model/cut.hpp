// SPDX-License-Identifier: BSD-3-Clause
// A mesh cut into parts, in numbers: what `cut` writes and `predict` reads. Who would own what on
// so many ranks, the sizes of the nested sets W_h of every rank (docs/design/halo-algebra.md), and
// the rows that each imports, for a mesh that one process has as a whole: what build_halo_plan
// would make.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <comm/partition/block_mesh.hpp>
#include <comm/partition/partition.hpp>
#include <core/layout.hpp>
#include <core/measurements/run_record.hpp>

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
/// (comm/halo/local_maps.hpp).
std::vector<char> sets_with_local_map(const comm::BlockMesh& mesh,
                                      const std::vector<comm::Owners>& owners);

struct Cut {
  std::string program;
  std::string maps_hash;  ///< of the record
  std::string how;        ///< the owners were found
  int parts = 0;
  core::Level level = 0;  ///< the highest
  std::size_t sets = 0;
  double cut_seconds = 0;  ///< for the owners, by one process
  double halo_seconds = 0;
  core::Level deepest = core::deepest_tracked;  ///< level that is distinguished, see level_limit
  std::vector<char> local_maps;                 ///< of each set, see sets_with_local_map
  std::vector<RankHalo> ranks;
  bool operator==(const Cut&) const = default;
};

std::string as_json(const Cut& cut);

/// @throws Failure  it cannot be read, is not such a file, is damaged, or belongs to another mesh
Cut read_cut(const std::string& path, const core::RunRecord& record);

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
