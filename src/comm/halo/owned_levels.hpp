// SPDX-License-Identifier: BSD-3-Clause
// How deep inside its rank every owned element lies: the levels below zero.
#pragma once

#include <cstdint>
#include <vector>

#include <comm/halo/local_mesh.hpp>
#include <core/layout.hpp>

namespace op2::comm {

/// For each set and owned element the first level W_-h that it is not in, as h: 1 for an iteration
/// that leads to another rank's element, 2 for data that such an iteration, or another rank's,
/// accesses, and so on; 1 - deepest_tracked for all that lie deeper. Local. Cost: a pass over the
/// maps for each level.
/// @param mesh     the owned elements by their ordinals, and the maps between them
/// @param accessed  [set][element]: another rank's iterations lead to it
std::vector<std::vector<std::int8_t>> owned_depths(const LocalMesh& mesh,
                                                   const std::vector<std::vector<char>>& accessed);

}  // namespace op2::comm
