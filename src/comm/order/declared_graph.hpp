// SPDX-License-Identifier: BSD-3-Clause
// The neighbours of the elements that a rank declares.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <comm/order/neighbour_pairs.hpp>

namespace op2::comm {

/// Vertices are the declared elements, by their positions in the block.
struct DeclaredGraph {
  /// A neighbour that another rank declares.
  struct Remote {
    GlobalId id;
    std::int32_t rank, vertex;  ///< that rank, and its vertex
  };
  std::vector<std::int64_t> first;  ///< shape [vertices + 1]
  /// neighbours[first[v] .. first[v + 1]) are those of v, with repetitions: vertices, or -1 - k for
  /// remote[k].
  std::vector<std::int32_t> neighbours;
  std::vector<Remote> remote;  ///< ascending, each once

  std::size_t vertices() const { return first.size() - 1; }
  std::span<const std::int32_t> of(std::size_t vertex) const {
    return {neighbours.data() + first[vertex], neighbours.data() + first[vertex + 1]};
  }
};

/// Symmetric. Collective. Cost: one exchange, and 4 bytes for each pair and each of its ends.
DeclaredGraph graph_of(const DeclaredMaps& mesh, const NeighbourPairs& pairs);

}  // namespace op2::comm
