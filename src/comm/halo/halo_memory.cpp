// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/halo_memory.hpp>

#include <algorithm>

namespace op2::comm {
namespace {

template <class T>
std::int64_t bytes_of(const std::vector<T>& values) {
  return static_cast<std::int64_t>(values.capacity() * sizeof(T));
}

template <class T>
std::int64_t unused_in(const std::vector<T>& values) {
  return static_cast<std::int64_t>((values.capacity() - values.size()) * sizeof(T));
}

std::int64_t halo_rows(const core::Layout& layout) {
  return layout.rows() - layout.owned();
}

void add_set(const IndexMap& set, HaloMemory& memory) {
  constexpr std::int64_t number_and_owner = sizeof(std::int64_t) + sizeof(std::int32_t);
  memory.rows += halo_rows(set.layout) * number_and_owner;
  memory.lists += halo_rows(set.layout) * std::int64_t{sizeof(std::int32_t)} +
                  unused_in(set.layout.global_id) + unused_in(set.layout.owner);
  for (const HaloLevel& level : set.levels) {
    memory.lists += bytes_of(level.imports) + bytes_of(level.exports);
    for (const ExportList& list : level.exports) memory.lists += bytes_of(list.rows);
  }
}

void add_map(const LocalMap& map, const core::Layout& from, HaloMemory& memory) {
  const auto owned = std::int64_t{from.owned()} * map.arity;
  const std::int64_t ghosts = std::max<std::int64_t>(0, std::ssize(map.entries) - owned);
  memory.rows += ghosts * std::int64_t{sizeof(std::int32_t)};
  memory.lists +=
      unused_in(map.entries) + bytes_of(map.remote_references) + bytes_of(map.remote_targets);
}

}  // namespace

HaloMemory halo_memory(const HaloPlan& plan, const core::Mesh& mesh) {
  HaloMemory memory{0, 0};
  for (const IndexMap& set : plan.sets) add_set(set, memory);
  for (const LocalMap& map : plan.maps) add_map(map, plan.sets[map.from].layout, memory);
  for (const auto& dat : mesh.dats())
    memory.rows += dat->size * halo_rows(plan.sets[dat->set->index].layout);
  return memory;
}

}  // namespace op2::comm
