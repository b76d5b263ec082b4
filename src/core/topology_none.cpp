// SPDX-License-Identifier: BSD-3-Clause
// Without hwloc: the scheduler's affinity mask; siblings of a core cannot be told apart.
#include <core/topology.hpp>

#include <algorithm>
#include <cerrno>
#include <memory>

#include <sched.h>
#include <unistd.h>

namespace op2::core {
namespace {

/// Processors of the affinity mask, of any number.
std::vector<int> processors_of_mask() {
  constexpr int most = 1 << 20;
  for (int count = CPU_SETSIZE; count <= most; count *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
        CPU_ALLOC(count), [](cpu_set_t* mask) { CPU_FREE(mask); });
    const std::size_t bytes = CPU_ALLOC_SIZE(count);
    if (set == nullptr) break;
    CPU_ZERO_S(bytes, set.get());
    if (sched_getaffinity(0, bytes, set.get()) != 0) {
      if (errno != EINVAL) break;
      continue;  // the system has more processors
    }
    std::vector<int> processors;
    for (int processor = 0; processor < count; ++processor)
      if (CPU_ISSET_S(processor, bytes, set.get())) processors.push_back(processor);
    return processors;
  }
  return {};
}

}  // namespace

Topology topology_of_process() {
  Topology topology{processors_of_mask(), 0};
  for (const int processor : processors_of_openmp())
    if (std::ranges::find(topology.processors, processor) == topology.processors.end())
      topology.processors.push_back(processor);
  std::ranges::sort(topology.processors);
  if (topology.processors.empty()) topology.processors = {0};
  topology.cores = static_cast<int>(topology.processors.size());
  topology.machine_cores = static_cast<int>(std::max(0L, sysconf(_SC_NPROCESSORS_ONLN)));
  topology.quota = quota_of_process();
  return topology;
}

}  // namespace op2::core
