// SPDX-License-Identifier: BSD-3-Clause
// Distances in a graph over the ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <comm/order/declared_graph.hpp>

namespace op2::comm {

/// Breadth-first searches, one after the other. All members but the last are collective.
class BreadthFirst {
 public:
  /// Both must outlive it.
  /// @param most_rounds  of messages, in all searches
  BreadthFirst(Communicator& ranks, const DeclaredGraph& graph, std::int64_t most_rounds);

  /// Distances from a vertex. Cost: an exchange for each distance, some reductions, and linear
  /// work.
  /// @param root  of this rank; -1 on the others
  /// @return the largest distance; nothing, on all ranks, if there were too many rounds
  std::optional<std::int32_t> search(std::int32_t root);

  /// Of each vertex in the last search: -1 if it was not reached.
  const std::vector<std::int32_t>& distances() const { return distance_; }
  /// The vertices of this rank that the last search reached.
  std::span<const std::int32_t> reached() const { return reached_; }

 private:
  void clear();
  void reach(std::int32_t vertex, std::int32_t distance);
  void visit_neighbours(std::size_t begin, std::size_t end, std::int32_t distance);

  Communicator& ranks_;
  const DeclaredGraph& graph_;
  std::int64_t rounds_left_;
  std::vector<std::int32_t> distance_;
  std::vector<std::int32_t> reached_;  ///< ascending distances
  std::vector<char> told_;             ///< remote neighbours that know that they are reached
  std::vector<std::int32_t> told_list_;
  std::vector<std::vector<std::int32_t>> leaving_;  ///< vertices of each rank that are reached next
};

}  // namespace op2::comm
