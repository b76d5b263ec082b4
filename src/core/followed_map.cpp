// SPDX-License-Identifier: BSD-3-Clause
#include <core/followed_map.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace op2::core {
namespace {

/// The set that most map entries lead to, the first of equal ones; null without maps.
const Set* most_accessed(const Mesh& mesh) {
  std::vector<std::int64_t> entries(mesh.sets().size(), 0);
  for (const auto& map : mesh.maps())
    entries[static_cast<std::size_t>(map->to->index)] +=
        record_of(map->from)->global_size * map->dim;
  const auto most = std::ranges::max_element(entries);
  return most == entries.end() || *most == 0
             ? nullptr
             : mesh.sets()[static_cast<std::size_t>(most - entries.begin())].get();
}

}  // namespace

const Map* followed_map(const Mesh& mesh, const Set& set) {
  const Set* const first = most_accessed(mesh);
  const Map* followed = nullptr;
  for (const auto& map : mesh.maps())
    if (map->from == &set && map->to == first && &set != first &&
        (followed == nullptr || map->dim > followed->dim))
      followed = map.get();
  return followed;
}

}  // namespace op2::core
