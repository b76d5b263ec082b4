// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/launcher.hpp>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

namespace op2::comm {
namespace {

/// The largest value of the variables, or `fallback` if none is set.
int number_in(std::initializer_list<const char*> names, int fallback) {
  for (const char* name : names)
    if (const char* value = std::getenv(name)) fallback = std::max(fallback, std::atoi(value));
  return fallback;
}

}  // namespace

// Open MPI; MPICH and its derivatives; Slurm's srun.
int launched_processes() {
  return number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}, 1);
}

int launched_rank() {
  return number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}, 0);
}

std::optional<NodeRank> launched_on_node() {
  const int rank = number_in({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"}, -1);
  const int count = number_in({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}, 0);
  return rank < 0 || rank >= count ? std::nullopt : std::optional(NodeRank{rank, count});
}

}  // namespace op2::comm
