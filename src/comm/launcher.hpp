// SPDX-License-Identifier: BSD-3-Clause
// How this process was started. Local; asks the environment only.
#pragma once

namespace op2::comm {

/// Processes that mpirun or srun started together with this one; 1 without a launcher.
int launched_processes();

/// This build has no distributed engine: N processes would each solve the whole problem.
/// @throws Error not_compiled if there is more than one process
void require_single_process();

}  // namespace op2::comm
