// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/launcher.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

#include <comm/messages/mpi_communicator.hpp>
#include <core/error.hpp>
#include <core/text.hpp>

namespace op2::comm {
namespace {

/// Variables of the environment. Those that are empty count as not set.
class Variables {
 public:
  using Lookup = std::function<std::optional<std::string>(const char*)>;
  explicit Variables(const Lookup& lookup) : lookup_(lookup) {}

  /// Empty if it is not set, or if there is no such variable.
  std::string text(const char* name) const {
    return name == nullptr ? "" : lookup_(name).value_or("");
  }
  bool has(const char* name) const { return !text(name).empty(); }
  std::optional<int> number(const char* name) const {
    const std::string value = text(name);
    int result = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
    const bool is_one = error == std::errc() && end == value.data() + value.size() && result >= 0;
    return is_one ? std::optional(result) : std::nullopt;
  }

 private:
  const Lookup& lookup_;
};

/// A launcher, and the variables that it sets; null where it has none.
struct Launcher {
  const char* name;
  const char *rank, *processes = nullptr;  ///< one of them is enough to recognise it
  const char *node_rank = nullptr, *node_count = nullptr;
  /// Whether the variables are only inherited, or another row's.
  bool (*is_passed_over)(const Variables&) = nullptr;
  MpiFamily knowing_mpi = MpiFamily::none;  ///< as in Launch
  const char* contact = nullptr;            ///< by which that MPI asks the launcher
};

/// A batch script has SLURM_PROCID without being a step. And a PMIx may be that of mpirun in a
/// step.
bool is_no_step_of_slurm(const Variables& variables) {
  const bool has_pmix_of_another =
      variables.has("PMIX_RANK") && !variables.text("PMIX_NAMESPACE").starts_with("slurm.pmix.");
  return has_pmix_of_another || !variables.has("SLURM_STEP_NUM_TASKS");
}

/// The nearest first: launchers of MPI libraries run in steps of batch systems, hardly the other
/// way round. Batch systems set PMI_* and PMIX_* too, so these count only after them; but Hydra is
/// known by MPI_LOCALNRANKS, and a PMIx that is not Slurm's by its namespace.
constexpr Launcher launchers[] = {
    {"mpirun of Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"mpiexec of MPICH or Intel MPI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS",
     [](const Variables& variables) { return !variables.has("MPI_LOCALNRANKS"); }},
    {"mpirun_rsh of MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE",
     "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
    {"mpirun_rsh of MVAPICH", "MVP_COMM_WORLD_RANK", "MVP_COMM_WORLD_SIZE",
     "MVP_COMM_WORLD_LOCAL_RANK", "MVP_COMM_WORLD_LOCAL_SIZE"},
    {"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
    {.name = "PALS",
     .rank = "PALS_RANKID",
     .knowing_mpi = MpiFamily::mpich,
     .contact = "PALS_RANKID"},
    {.name = "Slurm",
     .rank = "SLURM_PROCID",
     .processes = "SLURM_STEP_NUM_TASKS",
     .is_passed_over = is_no_step_of_slurm},
    {.name = "a launcher with PMIx",
     .rank = "PMIX_RANK",
     .knowing_mpi = MpiFamily::open_mpi,
     .contact = "PMIX_NAMESPACE"},
    {"a launcher with PMI", "PMI_RANK", "PMI_SIZE"},
    {.name = "a launcher with PMI",
     .rank = "PMI_ID",
     .knowing_mpi = MpiFamily::mpich,
     .contact = "PMI_PORT"},
};

bool started(const Launcher& launcher, const Variables& variables) {
  return (variables.has(launcher.rank) || variables.has(launcher.processes)) &&
         (launcher.is_passed_over == nullptr || !launcher.is_passed_over(variables));
}

/// In `srun -n 4 --pty bash` the shell is the first of four tasks, but what it starts is none of
/// them: an interactive shell gives each command a process group of its own.
bool is_from_shell_of_slurm(const Variables& variables,
                            const std::function<bool(int process)>& shares_group) {
  const std::optional<int> task = variables.number("SLURM_TASK_PID");
  return variables.has("SLURM_PTY_PORT") && variables.number("SLURM_PROCID") == 0 && task &&
         !shares_group(*task);
}

std::string shown(const Launcher& launcher, const Variables& variables) {
  std::string list;
  for (const char* name : {launcher.rank, launcher.processes})
    if (variables.has(name))
      list += fmt::format("{}{}={}", list.empty() ? "" : ", ", name, variables.text(name));
  return list;
}

std::optional<int> processes_of(const Launcher& launcher, const Variables& variables) {
  const std::optional<int> said = variables.number(launcher.processes);
  return said > 0 ? said : std::nullopt;
}

std::optional<NodeRank> place_of(const Launcher& launcher, const Variables& variables) {
  const std::optional<int> rank = variables.number(launcher.node_rank);
  const std::optional<int> count = variables.number(launcher.node_count);
  if (!rank || !count || *rank >= *count) return {};
  return NodeRank{*rank, *count};
}

/// Cray's, Intel's and MVAPICH derive from MPICH.
MpiFamily family_of(std::string_view mpi) {
  return mpi.find("Open MPI") != mpi.npos ? MpiFamily::open_mpi : MpiFamily::mpich;
}

/// "\0NAME=value\0NAME=value\0..."; empty if the system does not show it.
std::string environment_at_start() {
  const std::string text = core::read_file("/proc/self/environ").value_or("");
  return text.empty() ? text : '\0' + text;
}

std::optional<std::string> value_in(const std::string& environment, const char* name) {
  const std::string begin = fmt::format("{}{}=", '\0', name);
  const std::size_t at = environment.find(begin);
  if (at == environment.npos) return {};
  return std::string(environment.c_str() + at + begin.size());  // up to the next '\0'
}

}  // namespace

Launch launch_of(const std::function<std::optional<std::string>(const char*)>& variable,
                 const std::function<bool(int process)>& shares_group) {
  const Variables variables(variable);
  const auto nearest = std::ranges::find_if(
      launchers, [&](const Launcher& launcher) { return started(launcher, variables); });
  if (nearest == std::end(launchers)) return {};
  if (nearest->name == std::string_view("Slurm") && is_from_shell_of_slurm(variables, shares_group))
    return {};
  const std::optional<int> processes = processes_of(*nearest, variables);
  const bool another_says_more = std::ranges::any_of(
      launchers, [&](const Launcher& another) { return processes_of(another, variables) > 1; });
  return {.launcher = nearest->name,
          .variables = shown(*nearest, variables),
          .rank = variables.number(nearest->rank).value_or(0),
          .processes = processes,
          .on_node = place_of(*nearest, variables),
          .may_have_others = processes != 1 || another_says_more,
          .knowing_mpi = variables.has(nearest->contact) ? nearest->knowing_mpi : MpiFamily::none};
}

Launch this_launch() {
  const std::string at_start = mpi_is_running() ? environment_at_start() : "";
  return launch_of(
      [&](const char* name) -> std::optional<std::string> {
        if (!at_start.empty()) return value_in(at_start, name);
        const char* const value = std::getenv(name);
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
      },
      [](int process) {  // of another container nothing is known
        const pid_t group = getpgid(process);
        return group < 0 || group == getpgrp();
      });
}

void check_alone(const Launch& launch, std::string_view mpi) {
  if (launch.processes == 1) return;
  const bool is_known =
      !launch.processes && launch.rank == 0 && !mpi.empty() && launch.knowing_mpi == family_of(mpi);
  if (is_known) return;
  const std::string number = launch.processes ? fmt::format("{} processes", *launch.processes)
                                              : "this process, and does not say how many others";
  const std::string started =
      fmt::format("{} started {} ({})", launch.launcher, number, launch.variables);
  if (mpi.empty())
    core::fail(ErrorCode::communication_failure,
               "the processes do not find each other: op_init, {}, but this build of libop2 has no "
               "MPI, and each would solve the whole problem; configure libop2 with "
               "-DOP2_WITH_MPI=ON, start one process and set OP2_THREADS, or set OP2_MPI=off if "
               "each is to work alone",
               started);
  core::fail(ErrorCode::communication_failure,
             "the processes do not find each other: op_init, {}, but this one is alone in "
             "MPI_COMM_WORLD of {}, and each would solve the whole problem; use the launcher of "
             "that MPI library, or set OP2_MPI=off if each is to work alone",
             started, mpi);
}

}  // namespace op2::comm
