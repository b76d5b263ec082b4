// SPDX-License-Identifier: BSD-3-Clause
// Without hwloc: the scheduler's affinity mask; siblings of a core cannot be told apart.
#include <core/topology.hpp>

#include <sched.h>

namespace op2::core {

Topology topology_of_process() {
  Topology topology{{}, 1};
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {{0}, 1};
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &allowed)) topology.processors.push_back(processor);
  topology.cores = static_cast<int>(topology.processors.size());
  return topology;
}

}  // namespace op2::core
