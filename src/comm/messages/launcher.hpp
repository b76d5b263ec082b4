// SPDX-License-Identifier: BSD-3-Clause
// How this process was started. Local; reads environment variables only.
#pragma once

#include <optional>

namespace op2::comm {

/// Processes that mpirun or srun started together with this one; 1 without a launcher.
int launched_processes();

/// The rank of this process among them.
int launched_rank();

/// A process among those of its job on its machine.
struct NodeRank {
  int rank = 0, count = 1;
};

/// This one, if the launcher says so.
std::optional<NodeRank> launched_on_node();

}  // namespace op2::comm
