// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/local_maps.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace op2::comm {
namespace {

/// Whether this is the only map from its set, has one column, and no map leads to its set. Uniform.
bool stands_alone(const HaloPlan& plan, const LocalMap& map) {
  return map.arity == 1 &&
         std::ranges::all_of(plan.maps,
                             [&](const LocalMap& other) {
                               return &other == &map ||
                                      (other.from != map.from && other.to != map.from);
                             }) &&
         map.to != map.from;
}

}  // namespace

void find_local_maps(Communicator& communicator, HaloPlan& plan) {
  std::vector<const LocalMap*> candidates;
  WordReduction local;
  for (const LocalMap& map : plan.maps)
    if (stands_alone(plan, map)) {
      candidates.push_back(&map);
      local.minima.push_back(map.remote_targets.empty() ? 1 : 0);
    }
  if (candidates.empty()) return;
  communicator.reduce(local, "maps that lead to elements of the same rank");
  for (std::size_t k = 0; k < candidates.size(); ++k)
    plan.sets[static_cast<std::size_t>(candidates[k]->from)].layout.local_map =
        local.minima[k] != 0;
}

}  // namespace op2::comm
