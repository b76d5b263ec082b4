// SPDX-License-Identifier: BSD-3-Clause
// The canonical order of the ordering set (core::Mesh::ordering_set): a function of the declared
// mesh, whatever the ranks and the blocks that they declare.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>

namespace op2::comm {

/// A mesh, and the set of it whose elements are to be ordered.
struct DeclaredMaps {
  Communicator& ranks;
  std::vector<const Blocks*> sets;
  std::vector<MapView> maps;  ///< the rows that this rank declares; targets: global indices
  int ordered = 0;            ///< index of that set

  const Blocks& blocks_of(int set) const { return *sets[set]; }
  const Blocks& blocks() const { return blocks_of(ordered); }
  /// The first element of a set that this rank declares.
  GlobalId first_of(int set) const { return blocks_of(set).begin[ranks.rank()]; }
  std::size_t declared() const { return static_cast<std::size_t>(blocks().count(ranks.rank())); }
};

struct Coordinates {
  int set = -1;                    ///< whose elements have them; -1: there are none
  int dim = 0;                     ///< 1 to 3
  std::span<const double> values;  ///< of the declared elements, shape [declared x dim]
};

/// The place of each declared element of the ordered set; nothing, on all ranks, if they stay in
/// the order of their global indices. That is so if neighbours are on average at most twice the
/// square root of the set's size apart, or if neither of two orders has less than two thirds of the
/// sum of their distances. These are by distances in the graph, which is taken if it meets that
/// bound, because it suits tiles: what is near an element ends where that of the elements before it
/// does, or later; and by positions on a Hilbert curve through the coordinates. Otherwise the one
/// with the lesser sum is taken. Collective. Cost: a pass over the maps that lead to the set; else
/// about a microsecond for each element, and five searches of each part of the graph.
///
/// Neighbours are: targets in successive columns of a row, the last and the first included, so that
/// a row of n targets makes n pairs instead of n (n - 1) / 2; an element and its targets in the
/// same set; and, if maps to the set have fewer entries than it has elements, elements with
/// successive global indices of those that share a target.
std::optional<std::vector<std::int32_t>> choose_canonical_order(const DeclaredMaps& mesh,
                                                                const Coordinates& coordinates);

/// Distances of pairs in an order of which each element has one position.
class DistanceSum {
 public:
  /// Fewer than 2^32 pairs on a rank. Local.
  void add(std::int64_t a, std::int64_t b) {
    sum_ += static_cast<std::uint64_t>(a < b ? b - a : a - b);
    ++pairs_;
  }

  /// To those of all ranks. Collective.
  void combine(Communicator& ranks);

  // Local, and the same on all ranks after `combine`.

  bool operator<(const DistanceSum& other) const { return sum_ < other.sum_; }
  /// Whether the mean is at most twice the square root of the number of elements, which neighbours
  /// in a grid of two dimensions reach that is numbered row by row.
  bool is_good(std::int64_t elements) const;
  /// Whether another order of the same pairs is better by more than a half.
  bool is_much_worse_than(const DistanceSum& other) const { return sum_ * 2 > other.sum_ * 3; }

 private:
  __extension__ using Wide = unsigned __int128;
  Wide sum_ = 0;
  std::int64_t pairs_ = 0;
};

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

}  // namespace op2::comm
