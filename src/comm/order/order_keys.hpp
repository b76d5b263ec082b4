// SPDX-License-Identifier: BSD-3-Clause
// Keys by which to sort elements: positions on a Hilbert curve, or distances in the graph; sorting
// by keys over the ranks.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <comm/order/declared_graph.hpp>

namespace op2::comm {

/// The key of elements that come last.
constexpr std::int64_t last_key = std::numeric_limits<std::int64_t>::max();

/// The place, from 0 on, of each declared element among those of all ranks, sorted by their keys,
/// then by their global indices. Collective. Cost: sorting, and three exchanges. Each rank sorts
/// about as many as it declares, as far as 32 samples of every rank can tell.
/// @param keys  shape [declared]
std::vector<std::int32_t> positions_by_key(Communicator& ranks, const Blocks& set,
                                           std::span<const std::int64_t> keys);

/// Bits of each coordinate, so that a position on the curve fits into 63.
constexpr int hilbert_bits(int dim) {
  return dim == 1 ? 32 : dim == 2 ? 31 : 21;
}

/// The position on the curve of a point whose coordinates are below 2^hilbert_bits(dim). Points
/// with successive positions differ by 1 in one coordinate.
/// @param dim  1 to 3
std::int64_t hilbert_position(std::array<std::uint32_t, 3> point, int dim);

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

/// Searches need a round of messages for each distance; with more than these, in all searches,
/// there are no keys.
constexpr std::int64_t most_search_rounds = std::int64_t{1} << 18;

/// Keys by which to sort the elements; of equal ones, the global index decides. Connected parts of
/// the graph follow each other in the order of their lowest indices. In each, elements are sorted
/// by their distance from one end of it, as Cuthill and McKee do, and of equal distance by that
/// from another root. Roots are the element farthest from that with the lowest index, then thrice
/// the one farthest from all roots before it; of several, that with the lowest index. The first
/// gives the first distance, the last the second. Elements without neighbours come last.
/// Collective. Cost: five searches (declared_graph.hpp) of each part.
/// @return of each vertex; nothing, on all ranks, if there are too many distances
std::optional<std::vector<std::int64_t>> level_keys(const DeclaredMaps& mesh,
                                                    const DeclaredGraph& graph);

}  // namespace op2::comm
