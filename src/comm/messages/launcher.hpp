// SPDX-License-Identifier: BSD-3-Clause
// How this process was started. Local; reads environment variables only.
#pragma once

namespace op2::comm {

/// Processes that mpirun or srun started together with this one; 1 without a launcher.
int launched_processes();

/// The rank of this process among them.
int launched_rank();

/// This process among those of the job on its machine.
struct NodeRank {
  int rank, count;
};
NodeRank rank_on_node();

}  // namespace op2::comm
