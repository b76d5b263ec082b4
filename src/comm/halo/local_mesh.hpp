// SPDX-License-Identifier: BSD-3-Clause
// The part of a mesh that this process holds, in local indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace op2::comm {

/// A map between elements of this process; local indices begin at 0.
struct MapView {
  static constexpr std::int32_t remote = -1;
  int from, to;
  int arity;
  std::span<const std::int32_t> targets;  ///< shape [elements of `from` x arity], or remote
};

/// The canonical order (core/ordering_map.hpp) of the elements of this process.
struct CanonicalOrder {
  std::vector<int> followed{};  ///< of each set: the map by whose targets it is sorted, or -1
  int reordered = -1;           ///< the ordering set, if its order is not the declared one
  std::span<const std::int32_t> places{};  ///< of the elements of that set
};

/// The sets and maps that this process holds.
struct LocalMesh {
  std::vector<std::int32_t> sizes;   ///< of each set
  std::vector<std::int64_t> weight;  ///< of each set: bytes of data on it
  std::vector<MapView> maps;
  std::vector<char> keeps_order{};  ///< of each set: its rows keep their order; empty: none does

  CanonicalOrder canonical{};

  bool keeps(int set) const {
    return !keeps_order.empty() && keeps_order[static_cast<std::size_t>(set)] != 0;
  }
};

}  // namespace op2::comm
