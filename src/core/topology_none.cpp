// SPDX-License-Identifier: BSD-3-Clause
// Without hwloc: the scheduler's affinity mask; caches are not known.
#include <core/topology.hpp>

#include <algorithm>
#include <numeric>

#include <unistd.h>

namespace op2::core {

Topology topology_of_process() {
  std::vector<int> processors = processors_of_thread();
  const std::vector<int> places = processors_of_openmp();
  processors.insert(processors.end(), places.begin(), places.end());
  std::ranges::sort(processors);
  processors.erase(std::ranges::unique(processors).begin(), processors.end());
  if (processors.empty()) processors = {0};
  std::vector<int> machine(static_cast<std::size_t>(std::max(0L, sysconf(_SC_NPROCESSORS_ONLN))));
  std::iota(machine.begin(), machine.end(), 0);
  return {.cores = cores_with(processors),
          .quotas = quotas_of_process(),
          .machine_cores = static_cast<int>(cores_with(machine).size())};
}

}  // namespace op2::core
