// SPDX-License-Identifier: BSD-3-Clause
#include <core/topology.hpp>

#include <memory>
#include <type_traits>
#include <utility>

#include <hwloc.h>

namespace op2::core {
namespace {

template <auto function>
struct EndBy {
  void operator()(auto* object) const { function(object); }
};
using Machine =
    std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, EndBy<hwloc_topology_destroy>>;
using ProcessorSet =
    std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, EndBy<hwloc_bitmap_free>>;

Machine load_machine() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return nullptr;
  Machine machine(topology);
  return hwloc_topology_load(topology) == 0 ? std::move(machine) : nullptr;
}

/// The binding of this thread, with the places of OpenMP; or the whole machine if the system does
/// not tell.
ProcessorSet binding_of_thread(hwloc_topology_t machine) {
  ProcessorSet set(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(machine, set.get(), HWLOC_CPUBIND_THREAD) != 0)
    hwloc_bitmap_copy(set.get(), hwloc_topology_get_allowed_cpuset(machine));
  for (const int processor : processors_of_openmp())
    hwloc_bitmap_set(set.get(), static_cast<unsigned>(processor));
  return set;
}

/// Of all processes alike: the first processor of the machine below the unit's largest cache.
int cache_above(hwloc_obj_t unit) {
  int first = -1;
  for (hwloc_obj_t above = unit; above != nullptr; above = above->parent)
    if (hwloc_obj_type_is_dcache(above->type) != 0)
      first = hwloc_bitmap_first(above->complete_cpuset);
  return first;
}

std::vector<Core> cores_within(hwloc_topology_t machine, hwloc_const_bitmap_t allowed) {
  std::vector<Core> cores;
  hwloc_obj_t unit = nullptr;
  hwloc_obj_t last_core = nullptr;
  while ((unit = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_PU, unit))) {
    if (!hwloc_bitmap_isset(allowed, unit->os_index)) continue;
    const auto processor = static_cast<int>(unit->os_index);
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, unit);
    if (core && core == last_core)
      cores.back().siblings.push_back(processor);
    else
      cores.push_back({processor, cache_above(unit)});
    last_core = core;
  }
  return cores;
}

bool above_is_cache(hwloc_obj_t object) {
  for (hwloc_obj_t above = object->parent; above != nullptr; above = above->parent)
    if (hwloc_obj_type_is_dcache(above->type) != 0) return true;
  return false;
}

/// Of the caches above a processor: the largest that serves one core only, and the largest.
/// These are two even where only one core is visible.
Caches caches_of(hwloc_topology_t machine, int processor) {
  Caches caches;
  std::int64_t inner = 0;
  const hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(machine, static_cast<unsigned>(processor));
  for (hwloc_obj_t above = unit; above != nullptr; above = above->parent) {
    const bool holds_data = hwloc_obj_type_is_dcache(above->type) != 0;
    if (!holds_data || above->attr->cache.size == 0) continue;
    const auto size = static_cast<std::int64_t>(above->attr->cache.size);
    const int cores =
        hwloc_get_nbobjs_inside_cpuset_by_type(machine, above->cpuset, HWLOC_OBJ_CORE);
    caches.own = cores <= 1 && above_is_cache(above) ? size : inner > 0 ? inner : size;
    inner = caches.own;
    caches.shared = size;
  }
  return caches;
}

}  // namespace

Topology topology_of_process() {
  const Machine machine = load_machine();
  Topology topology{.cores = {{0}}};
  if (machine) {
    auto cores = cores_within(machine.get(), binding_of_thread(machine.get()).get());
    if (!cores.empty()) topology.cores = std::move(cores);
    topology.caches = caches_of(machine.get(), topology.cores.front().processor);
    topology.machine_cores = hwloc_get_nbobjs_by_type(machine.get(), HWLOC_OBJ_CORE);
  }
  topology.quotas = quotas_of_process();
  return topology;
}

}  // namespace op2::core
