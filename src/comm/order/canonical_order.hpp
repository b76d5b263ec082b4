// SPDX-License-Identifier: BSD-3-Clause
// The canonical order of the ordering set (core/ordering_map.hpp): a function of the declared mesh,
// whatever the ranks and the blocks that they declare.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/order/declared_graph.hpp>
#include <comm/order/order_keys.hpp>

namespace op2::comm {

/// high * 2^32 + low, with low below 2^32: enough for the distances of 2^63 pairs.
struct WideSum {
  std::uint64_t high = 0, low = 0;

  /// @param factor  below 2^31
  WideSum times(std::uint64_t factor) const {
    return WideSum{high * factor, low * factor}.carried();
  }
  WideSum carried() const { return {high + (low >> 32), low & 0xffffffffU}; }
  friend auto operator<=>(const WideSum&, const WideSum&) = default;
};

/// Distances of pairs in an order of which each element has one position.
class DistanceSum {
 public:
  /// Fewer than 2^32 pairs on a rank. Local.
  void add(std::int64_t a, std::int64_t b) {
    sum_.low += static_cast<std::uint64_t>(a < b ? b - a : a - b);
    ++pairs_;
  }

  /// To those of all ranks. Collective.
  void combine(Communicator& ranks);

  /// Local, and the same on all ranks after `combine`.
  const WideSum& sum() const { return sum_; }

  /// Whether the mean is at most twice the square root of the number of elements, which neighbours
  /// in a grid of two dimensions reach that is numbered row by row.
  bool is_good(std::int64_t elements) const;

  /// Whether another order of the same pairs is better by more than a half.
  bool is_much_worse_than(const DistanceSum& other) const {
    return sum_.times(2) > other.sum_.times(3);
  }

 private:
  WideSum sum_;
  std::int64_t pairs_ = 0;
};

/// The place of each declared element of the ordered set; nothing, on all ranks, if they stay in
/// the order of their global indices. That is so if neighbours (declared_graph.hpp) are on average
/// at most twice the square root of the set's size apart, or if neither of two orders has less than
/// two thirds of the sum of their distances. These are that of level_keys, which is taken if it
/// meets that bound, because it suits tiles: what is near an element ends where that of the
/// elements before it does, or later; and that of coordinate_keys. Otherwise the one with the
/// lesser sum is taken. Collective. Cost: a pass over the maps that lead to the set; else about a
/// microsecond for each element, and the exchanges of level_keys.
std::optional<std::vector<std::int32_t>> choose_canonical_order(const DeclaredMaps& mesh,
                                                                const Coordinates& coordinates);

}  // namespace op2::comm
