// SPDX-License-Identifier: BSD-3-Clause
// The processors that this process may use.
#pragma once

#include <cstdint>
#include <vector>

namespace op2::core {

/// Sizes of data caches in bytes.
struct Caches {
  std::int64_t own = std::int64_t{1} << 20;      ///< the largest that one core has for itself
  std::int64_t shared = std::int64_t{32} << 20;  ///< the largest that there is
};

struct Topology {
  std::vector<int>
      processors;   ///< the system's numbers: one of each core first, then their siblings
  int cores;        ///< how many of them are the first of their core; at least 1
  Caches caches{};  ///< usual sizes where the system does not tell
};

/// What the binding of the process allows (taskset, mpirun, cgroups). Local; costs milliseconds.
Topology topology_of_process();

}  // namespace op2::core
