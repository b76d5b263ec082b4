// SPDX-License-Identifier: BSD-3-Clause
// The canonical order of the ordering set (core/ordering_map.hpp): a function of the declared mesh,
// whatever the ranks and the blocks that they declare.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <comm/order/coordinate_keys.hpp>
#include <comm/order/declared_maps.hpp>

namespace op2::comm {

/// The place of each declared element of the ordered set; nothing, on all ranks, if they stay in
/// the order of their global indices. That is so if neighbours (neighbour_pairs.hpp) are on average
/// at most twice the square root of the set's size apart, or if neither of two orders has less than
/// two thirds of the sum of their distances. These are that of level_keys, which is taken if it
/// meets that bound, because it suits tiles: what is near an element ends where that of the
/// elements before it does, or later; and that of coordinate_keys. Otherwise the one with the
/// lesser sum is taken. Collective. Cost: a pass over the maps that lead to the set; else about a
/// microsecond for each element, and the exchanges of level_keys.
std::optional<std::vector<std::int32_t>> canonical_places(const DeclaredMaps& mesh,
                                                          const Coordinates& coordinates);

}  // namespace op2::comm
