// SPDX-License-Identifier: BSD-3-Clause
// A mesh cut into parts, in numbers: what `cut` writes and `predict` reads.
#pragma once

#include <string>
#include <vector>

#include <core/measurements/run_record.hpp>

#include "halo_sizes.hpp"

namespace op2::model {

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

}  // namespace op2::model
