// SPDX-License-Identifier: BSD-3-Clause
// The processors that this process may use.
#pragma once

#include <cstdint>
#include <vector>

namespace op2::core {

/// Sizes of data caches in bytes.
struct Caches {
  std::int64_t own = std::int64_t{1} << 20;      ///< the largest private cache of a core
  std::int64_t shared = std::int64_t{32} << 20;  ///< the largest cache
};

struct Topology {
  std::vector<int>
      processors;   ///< the system's numbers: first one of each core, then their siblings
  int cores;        ///< how many of them are the first of their core; at least 1
  Caches caches{};  ///< usual sizes if the system does not tell
};

/// What the binding of the process allows (taskset, mpirun, cgroups). Local; costs milliseconds.
Topology topology_of_process();

}  // namespace op2::core
