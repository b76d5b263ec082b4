// SPDX-License-Identifier: BSD-3-Clause
// How this process was started, by the environment variables of launchers. Local.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <comm/messages/communicator.hpp>

namespace op2::comm {

/// MPI libraries whose processes are started alike.
enum class MpiFamily { none, open_mpi, mpich };

/// What the nearest launcher says of the job. A launcher may run inside another one, whose
/// variables its processes inherit: mpirun in a step of Slurm.
struct Launch {
  std::string launcher;             ///< its name for messages; empty: there is none
  std::string variables;            ///< by which it is known: "PMI_RANK=1, PMI_SIZE=4"
  int rank = 0;                     ///< of this process in the job
  std::optional<int> processes{1};  ///< of the job; empty: the launcher does not say
  /// This process among those of the job on its machine, whatever communicators they use; if the
  /// launcher says so.
  std::optional<NodeRank> on_node;
  /// Whether MPI must be asked for others: the launcher does not say that this process is alone, or
  /// one further away names several, and may be the nearest after all.
  bool may_have_others = false;
  /// Where the number is not said: the MPI libraries that know it.
  MpiFamily knowing_mpi = MpiFamily::none;
};

/// @param variable      the value of an environment variable, or nothing
/// @param shares_group  whether a process is in the process group of this one
Launch launch_of(const std::function<std::optional<std::string>(const char*)>& variable,
                 const std::function<bool(int process)>& shares_group);

/// That of this process. MPI sets variables of launchers, too, so while it runs those count that
/// the process was started with.
Launch this_launch();

/// For a process without others in MPI, or without MPI: it must have been started alone.
/// @param mpi  name and version of the MPI library; empty: this build has none
/// @throws Error communication_failure  if its launcher has started several, or may have
void check_alone(const Launch& launch, std::string_view mpi);

}  // namespace op2::comm
