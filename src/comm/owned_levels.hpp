// SPDX-License-Identifier: BSD-3-Clause
// How deep inside its rank every owned element lies: the levels below zero.
#pragma once

#include <cstdint>
#include <vector>

#include <core/layout.hpp>

namespace op2::comm {

/// Rows of a map whose elements are owned: ordinals of owned targets, `elsewhere` for the others.
struct OwnedMap {
  static constexpr std::int32_t elsewhere = -1;
  int from, to;
  int arity;
  std::vector<std::int32_t> targets;  ///< shape [owned elements of `from` x arity]
};

/// For each set and owned element the first level W_-h that it is not in, as h: 1 for an iteration
/// that leads to another rank's element, 2 for data that such an iteration, or another rank's,
/// touches, and so on; 1 - deepest_tracked for all that lie deeper. Local. Cost: a pass over the
/// maps for each level.
/// @param sizes    owned elements of each set
/// @param touched  [set][element]: another rank's iterations lead to it
std::vector<std::vector<std::int8_t>> owned_depths(const std::vector<std::int32_t>& sizes,
                                                   const std::vector<OwnedMap>& maps,
                                                   const std::vector<std::vector<char>>& touched);

}  // namespace op2::comm
