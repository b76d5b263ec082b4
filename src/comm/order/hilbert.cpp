// SPDX-License-Identifier: BSD-3-Clause
// After J. Skilling, Programming the Hilbert curve, AIP Conference Proceedings 707 (2004): the bits
// of the position are those of the coordinates, from the highest on, each plane of bits reflected
// and with its axes exchanged as the planes above it demand.
#include <comm/order/hilbert.hpp>

#include <cstddef>

namespace op2::comm {
namespace {

using Point = std::array<std::uint32_t, 3>;

/// Undoes reflections and exchanges of axes, from the highest bit down to the second.
void unfold(Point& x, std::size_t dim, std::uint32_t highest) {
  for (std::uint32_t bit = highest; bit > 1; bit >>= 1) {
    const std::uint32_t lower = bit - 1;
    for (std::size_t d = 0; d < dim; ++d) {
      if ((x[d] & bit) != 0) {
        x[0] ^= lower;
      } else {
        const std::uint32_t exchanged = (x[0] ^ x[d]) & lower;
        x[0] ^= exchanged;
        x[d] ^= exchanged;
      }
    }
  }
}

/// From Gray code in the planes of bits to binary numbers.
void decode(Point& x, std::size_t dim, std::uint32_t highest) {
  for (std::size_t d = 1; d < dim; ++d) x[d] ^= x[d - 1];
  std::uint32_t flipped = 0;
  for (std::uint32_t bit = highest; bit > 1; bit >>= 1)
    if ((x[dim - 1] & bit) != 0) flipped ^= bit - 1;
  for (std::size_t d = 0; d < dim; ++d) x[d] ^= flipped;
}

}  // namespace

std::int64_t hilbert_position(Point point, int dim) {
  const int bits = hilbert_bits(dim);
  const auto axes = static_cast<std::size_t>(dim);
  if (dim == 1) return point[0];
  unfold(point, axes, std::uint32_t{1} << (bits - 1));
  decode(point, axes, std::uint32_t{1} << (bits - 1));
  std::int64_t position = 0;
  for (int bit = bits - 1; bit >= 0; --bit)
    for (std::size_t d = 0; d < axes; ++d) position = position << 1 | (point[d] >> bit & 1U);
  return position;
}

}  // namespace op2::comm
