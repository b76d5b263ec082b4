// SPDX-License-Identifier: BSD-3-Clause
// Which elements of a set are neighbours, as maps say.
#pragma once

#include <utility>
#include <vector>

#include <comm/order/declared_maps.hpp>

namespace op2::comm {

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

}  // namespace op2::comm
