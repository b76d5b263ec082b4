// SPDX-License-Identifier: BSD-3-Clause
// A mesh as declared, without copies of its maps; which elements of a set are neighbours; distances
// between them. Over the ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>

namespace op2::comm {

/// The rows of a map that this rank declares.
struct DeclaredMap {
  int from, to;  ///< indices of sets
  int arity;
  std::span<const std::int32_t> targets;  ///< global indices, shape [declared x arity]
};

/// A mesh, and the set of it whose elements are to be ordered.
struct DeclaredMaps {
  Communicator& ranks;
  std::vector<const Blocks*> sets;
  std::vector<DeclaredMap> maps;
  int ordered = 0;  ///< index of that set

  const Blocks& blocks_of(int set) const { return *sets[static_cast<std::size_t>(set)]; }
  const Blocks& blocks() const { return blocks_of(ordered); }
  /// The first element of a set that this rank declares.
  GlobalId first_of(int set) const {
    return blocks_of(set).begin[static_cast<std::size_t>(ranks.rank())];
  }
  std::size_t declared() const { return static_cast<std::size_t>(blocks().count(ranks.rank())); }
};

/// Pairs of neighbours, spread over the ranks in any way. Pairs are: targets in successive columns
/// of a row, the last and the first included, so that a row of n targets makes n pairs instead of
/// n (n - 1) / 2; an element and its targets in the same set; and, if maps to the set have fewer
/// entries than it has elements, elements with successive global indices of those that share a
/// target. Which pairs there are depends on the mesh alone.
class NeighbourPairs {
 public:
  /// Collective. Cost: a reduction, and two passes over the maps if elements that share targets
  /// count.
  /// @param mesh  outlives this object
  explicit NeighbourPairs(const DeclaredMaps& mesh);

  /// Calls action(a, b) with global indices a != b for the pairs of this rank; a pair may come
  /// several times. Local.
  template <class Action>
  void for_each(const Action& action) const {
    for (const DeclaredMap& map : mesh_.maps) {
      if (!counts(map)) continue;
      if (map.from == mesh_.ordered)
        for_elements_and_targets(map, action);
      else
        for_rows(map, action);
    }
    for (const auto& [a, b] : sharing_) action(a, b);
  }

 private:
  bool counts(const DeclaredMap& map) const {
    return map.to == mesh_.ordered && (map.arity > 1 || map.from == mesh_.ordered);
  }
  bool maps_have_few_entries() const;
  void add_sharing(const DeclaredMap& map);

  template <class Action>
  void for_elements_and_targets(const DeclaredMap& map, const Action& action) const {
    GlobalId element = mesh_.first_of(map.from);
    for (auto row = map.targets; !row.empty(); row = row.subspan(map.arity), ++element)
      for (const GlobalId target : row.first(map.arity))
        if (target != element) action(element, target);
  }

  template <class Action>
  static void for_rows(const DeclaredMap& map, const Action& action) {
    const auto arity = static_cast<std::size_t>(map.arity);
    const std::size_t pairs = arity == 2 ? 1 : arity;  // of a row
    for (auto row = map.targets; !row.empty(); row = row.subspan(arity))
      for (std::size_t k = 0; k < pairs; ++k) {
        const GlobalId a = row[k], b = row[k + 1 == arity ? 0 : k + 1];
        if (a != b) action(a, b);
      }
  }

  const DeclaredMaps& mesh_;
  std::vector<std::pair<GlobalId, GlobalId>> sharing_;  ///< neighbours that share a target
};

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
  std::span<const std::int32_t> neighbours_of(std::size_t vertex) const {
    return {neighbours.data() + first[vertex], neighbours.data() + first[vertex + 1]};
  }
};

/// Symmetric. Collective. Cost: one exchange, and 4 bytes for each pair and each of its ends.
DeclaredGraph graph_of(const DeclaredMaps& mesh, const NeighbourPairs& pairs);

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
