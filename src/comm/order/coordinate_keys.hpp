// SPDX-License-Identifier: BSD-3-Clause
// Keys by which to sort elements that have positions in space.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <comm/order/declared_maps.hpp>

namespace op2::comm {

struct Coordinates {
  int set = -1;                    ///< whose elements have them; -1: there are none
  int dim = 0;                     ///< 1 to 3
  std::span<const double> values;  ///< of the declared elements, shape [declared x dim]
};

/// Of each declared element of the ordered set: its position on a Hilbert curve through the finite
/// coordinates. Infinite ones are at the sides of the box; elements with NaN come last. If the
/// coordinates are those of another set, the first target in it counts. The same for any ranks:
/// numbers are compared, and subtracted and divided one by one. Collective. Cost: linear work, a
/// reduction, and if coordinates are those of another set two exchanges.
/// @return nothing, on all ranks, if there are no coordinates or no map leads to those
std::optional<std::vector<std::int64_t>> coordinate_keys(const DeclaredMaps& mesh,
                                                         const Coordinates& coordinates);

}  // namespace op2::comm
