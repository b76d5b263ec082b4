// SPDX-License-Identifier: BSD-3-Clause
// The processors that this process may use.
#pragma once

#include <vector>

namespace op2::core {

struct Topology {
  std::vector<int>
      processors;  ///< the system's numbers: one of each core first, then their siblings
  int cores;       ///< how many of them are the first of their core; at least 1
};

/// What the binding of the process allows (taskset, mpirun, cgroups). Local; costs milliseconds.
Topology topology_of_process();

}  // namespace op2::core
