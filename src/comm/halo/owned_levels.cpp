// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/owned_levels.hpp>

#include <limits>

namespace op2::comm {
namespace {

using Depths = std::vector<std::vector<std::int8_t>>;

/// Iterations leave level -h (odd) if one of their targets is not in level -(h - 1).
void shrink_iterations(const MapView& map, std::int8_t h, Depths& depths) {
  auto& from = depths[map.from];
  const auto& to = depths[map.to];
  const auto leaves = [&](std::int32_t target) {
    return target == MapView::remote || to[target] < h;
  };
  const std::int32_t* row = map.targets.data();
  for (std::int8_t& depth : from) {
    if (depth > h)
      for (int column = 0; column < map.arity; ++column)
        if (leaves(row[column])) depth = h;
    row += map.arity;
  }
}

/// Data leave level -h (even) if an iteration that accesses them is not in level -(h - 1).
void shrink_data(const MapView& map, std::int8_t h, Depths& depths) {
  const auto& from = depths[map.from];
  auto& to = depths[map.to];
  const std::int32_t* row = map.targets.data();
  for (std::size_t element = 0; element < from.size(); ++element, row += map.arity) {
    if (from[element] >= h) continue;
    for (int column = 0; column < map.arity; ++column) {
      if (row[column] == MapView::remote) continue;
      std::int8_t& depth = to[row[column]];
      if (depth > h) depth = h;
    }
  }
}

}  // namespace

Depths owned_depths(const LocalMesh& mesh, const std::vector<std::vector<char>>& accessed,
                    core::Level deepest) {
  static_assert(1 - core::deepest_tracked <= std::numeric_limits<std::int8_t>::max());
  const auto end = static_cast<std::int8_t>(1 - deepest);
  Depths depths;
  for (const std::int32_t size : mesh.sizes)
    depths.emplace_back(static_cast<std::size_t>(size), end);
  for (std::int8_t h = 1; h < end; ++h) {
    for (const MapView& map : mesh.maps)
      h % 2 != 0 ? shrink_iterations(map, h, depths) : shrink_data(map, h, depths);
    if (h != 2) continue;
    for (std::size_t set = 0; set < accessed.size(); ++set)
      for (std::size_t k = 0; k < accessed[set].size(); ++k)
        if (accessed[set][k] != 0 && depths[set][k] > h) depths[set][k] = h;
  }
  return depths;
}

bool is_large_part(std::int64_t elements, std::int64_t outermost) {
  constexpr int layers = -core::deepest_tracked / 2;
  return 2 * layers * outermost <= elements;
}

}  // namespace op2::comm
