// SPDX-License-Identifier: BSD-3-Clause
#include <comm/order/neighbour_pairs.hpp>

#include <algorithm>

#include <comm/partition/rendezvous.hpp>

namespace op2::comm {

NeighbourPairs::NeighbourPairs(const DeclaredMaps& mesh) : mesh_(mesh) {
  if (!maps_have_few_entries()) return;
  for (const DeclaredMap& map : mesh.maps)
    if (map.from == mesh.ordered) add_sharing(map);
}

bool NeighbourPairs::maps_have_few_entries() const {
  WordReduction words{{0}, {}, {}};
  for (const DeclaredMap& map : mesh_.maps)
    if (counts(map)) words.sums[0] += std::ssize(map.targets);
  mesh_.ranks.reduce(words, "counting neighbours");
  return words.sums[0] < mesh_.blocks().size();
}

void NeighbourPairs::add_sharing(const DeclaredMap& map) {
  Rendezvous<GlobalId> sources(mesh_.ranks, mesh_.blocks_of(map.to));
  GlobalId element = mesh_.first_of(map.from);
  for (auto row = map.targets; !row.empty(); row = row.subspan(map.arity), ++element)
    for (const GlobalId target : row.first(map.arity)) sources.send(target, element);
  Ragged<GlobalId> at_target = sources.deliver(mesh_.ranks);
  for (std::size_t target = 0; target < at_target.rows(); ++target) {
    const auto elements = at_target.row(target);
    std::ranges::sort(elements);
    for (std::size_t k = 1; k < elements.size(); ++k)
      if (elements[k - 1] != elements[k]) sharing_.emplace_back(elements[k - 1], elements[k]);
  }
}

}  // namespace op2::comm
