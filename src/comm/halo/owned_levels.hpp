// SPDX-License-Identifier: BSD-3-Clause
// How far every owned element is from the boundary of its rank: the levels below zero.
#pragma once

#include <cstdint>
#include <vector>

#include <comm/halo/local_mesh.hpp>
#include <core/layout.hpp>

namespace op2::comm {

/// The depth h of every owned element of each set: the first h for which it is not in W_-h. That is
/// 1 for an iteration that accesses another rank's element, 2 for data that such an iteration, or
/// another rank's, accesses, and so on; 1 - deepest for all deeper ones. Local. Cost: a pass over
/// the maps for each level.
/// @param mesh     the owned elements by their ordinals, and the maps between them
/// @param accessed  [set][element]: another rank's iterations lead to it
/// @param deepest   even, at most -2
std::vector<std::vector<std::int8_t>> owned_depths(const LocalMesh& mesh,
                                                   const std::vector<std::vector<char>>& accessed,
                                                   core::Level deepest);

/// Whether levels below core::deepest_of_small_parts are worth it for a part of so many elements,
/// of all sets, of which so many are in its outermost layer (depth 1 and 2): in sixteen layers like
/// that are at most half of them.
bool is_large_part(std::int64_t elements, std::int64_t outermost);

}  // namespace op2::comm
