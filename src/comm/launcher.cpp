// SPDX-License-Identifier: BSD-3-Clause
#include <comm/launcher.hpp>

#include <algorithm>
#include <cstdlib>

#include <core/error.hpp>

namespace op2::comm {

int launched_processes() {
  // Open MPI; MPICH and its kin; Slurm's srun.
  int processes = 1;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* value = std::getenv(name)) processes = std::max(processes, std::atoi(value));
  return processes;
}

void require_single_process() {
  const int processes = launched_processes();
  if (processes > 1)
    core::fail(ErrorCode::not_compiled,
               "op_init: {} processes were launched, but this build of libop2 has no MPI and each "
               "would solve the whole "
               "problem; start one process and set OP2_THREADS (-DOP2_WITH_MPI is not part of this "
               "version)",
               processes);
}

}  // namespace op2::comm
