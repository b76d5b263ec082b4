// SPDX-License-Identifier: BSD-3-Clause
// The Hilbert curve through a line, square or cube. Pure functions of integers.
#pragma once

#include <array>
#include <cstdint>

namespace op2::comm {

/// Bits of each coordinate, so that a position on the curve fits into 63.
constexpr int hilbert_bits(int dim) {
  return dim == 1 ? 32 : dim == 2 ? 31 : 21;
}

/// The position on the curve of a point whose coordinates are below 2^hilbert_bits(dim). Points
/// with successive positions differ by 1 in one coordinate.
/// @param dim  1 to 3
std::int64_t hilbert_position(std::array<std::uint32_t, 3> point, int dim);

}  // namespace op2::comm
