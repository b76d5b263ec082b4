// SPDX-License-Identifier: BSD-3-Clause
#include <core/ordering_map.hpp>

#include <cstdint>
#include <vector>

namespace op2::core {

void choose_ordering_set(Mesh& mesh) {
  if (mesh.ordering_set() != nullptr) return;
  std::vector<std::int64_t> bytes(mesh.sets().size(), 0);
  for (const auto& dat : mesh.dats())
    if (!dat->temporary)
      bytes[static_cast<std::size_t>(dat->set->index)] += dat->size * dat->on().global_size;
  const Set* leading = nullptr;
  for (const auto& map : mesh.maps()) {
    const Set* const target = record_of(map->to);
    if (leading == nullptr || bytes[static_cast<std::size_t>(target->index)] >
                                  bytes[static_cast<std::size_t>(leading->index)])
      leading = target;
  }
  mesh.set_ordering_set(leading);
}

const Map* ordering_map(const Mesh& mesh, const Set& set) {
  const Set* const leading = mesh.ordering_set();
  const Map* followed = nullptr;
  for (const auto& map : mesh.maps())
    if (map->from == &set && map->to == leading && &set != leading &&
        (followed == nullptr || map->dim > followed->dim))
      followed = map.get();
  return followed;
}

}  // namespace op2::core
