// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/launcher.hpp>

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <support/expect_error.hpp>

namespace op2::test {
namespace {

using comm::check_alone;
using comm::Launch;
using comm::NodeRank;
using testing::AllOf, testing::HasSubstr, testing::IsEmpty;

using Environment = std::map<std::string, std::string>;

/// @param task_is_shell  the process of SLURM_TASK_PID has given this one a group of its own
Launch launch_in(const Environment& variables, bool task_is_shell = false) {
  return comm::launch_of(
      [&](const char* name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
      },
      [&](int) { return !task_is_shell; });
}

/// What the processes of `inner` find that are started in a process with `outer`.
Environment within(const Environment& outer, const Environment& inner) {
  Environment both = inner;
  both.insert(outer.begin(), outer.end());
  return both;
}

std::string refusal(const Environment& variables, std::string_view mpi) {
  return error_text(ErrorCode::communication_failure,
                    [&] { check_alone(launch_in(variables), mpi); });
}

Environment open_mpi(int processes, int rank = 0) {
  return {{"OMPI_COMM_WORLD_SIZE", std::to_string(processes)},
          {"OMPI_COMM_WORLD_RANK", std::to_string(rank)},
          {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
          {"OMPI_COMM_WORLD_LOCAL_RANK", std::to_string(rank % 2)},
          {"PMIX_NAMESPACE", "3423862785"},
          {"PMIX_RANK", std::to_string(rank)}};
}

Environment hydra(int processes, int rank = 0) {
  return {{"PMI_SIZE", std::to_string(processes)},
          {"PMI_RANK", std::to_string(rank)},
          {"PMI_FD", "6"},
          {"MPI_LOCALNRANKS", "2"},
          {"MPI_LOCALRANKID", std::to_string(rank % 2)}};
}

Environment mpirun_rsh(int processes, int rank = 0) {
  return {{"MV2_COMM_WORLD_SIZE", std::to_string(processes)},
          {"MV2_COMM_WORLD_RANK", std::to_string(rank)},
          {"MV2_COMM_WORLD_LOCAL_SIZE", "2"},
          {"MV2_COMM_WORLD_LOCAL_RANK", std::to_string(rank % 2)},
          {"PMI_PORT", "node:4711"},
          {"PMI_ID", std::to_string(rank)}};
}

Environment flux(int processes, int rank = 0) {
  return {{"FLUX_JOB_SIZE", std::to_string(processes)},
          {"FLUX_TASK_RANK", std::to_string(rank)},
          {"PMI_FD", "6"},
          {"PMI_SIZE", std::to_string(processes)},
          {"PMI_RANK", std::to_string(rank)}};
}

Environment pals(int rank = 0) {
  return {{"PALS_RANKID", std::to_string(rank)}, {"PALS_LOCAL_RANKID", "0"}};
}

Environment slurm(int tasks, int rank = 0) {
  return {{"SLURM_STEP_NUM_TASKS", std::to_string(tasks)},
          {"SLURM_PROCID", std::to_string(rank)},
          {"SLURM_TASK_PID", "1234"}};
}

Environment with_pmix(Environment launcher, int rank, const char* name_space) {
  return within(launcher, {{"PMIX_RANK", std::to_string(rank)}, {"PMIX_NAMESPACE", name_space}});
}

Environment prterun(int rank = 0) {
  return with_pmix({}, rank, "prterun-node-4711@1");
}

Environment pmi(int processes, int rank = 0) {
  return {{"PMI_SIZE", std::to_string(processes)}, {"PMI_RANK", std::to_string(rank)}};
}

TEST(Launcher, WithoutOneAProcessIsAlone) {
  const Launch launch = launch_in({{"PATH", "/bin"}, {"PMIX_RANK", ""}});
  EXPECT_THAT(launch.launcher, IsEmpty());
  EXPECT_EQ(launch.processes, 1);
  EXPECT_EQ(launch.rank, 0);
  EXPECT_FALSE(launch.may_have_others);
  EXPECT_FALSE(launch.on_node);
  EXPECT_NO_THROW(check_alone(launch, ""));
}

TEST(Launcher, EachSaysHowManyProcessesThereAreAndWhichThisIs) {
  for (const auto& start : {open_mpi, hydra, mpirun_rsh, flux, slurm, pmi}) {
    const Launch launch = launch_in(start(4, 3));
    EXPECT_EQ(launch.processes, 4) << launch.launcher;
    EXPECT_EQ(launch.rank, 3) << launch.launcher;
    EXPECT_TRUE(launch.may_have_others) << launch.launcher;
    EXPECT_FALSE(launch_in(start(1, 0)).may_have_others) << launch.launcher;
  }
}

TEST(Launcher, SomeDoNotSayHowManyThereAre) {
  for (const Environment& started : {pals(3), prterun(3), Environment{{"PMI_ID", "3"}}}) {
    const Launch launch = launch_in(started);
    EXPECT_FALSE(launch.processes) << launch.launcher;
    EXPECT_EQ(launch.rank, 3) << launch.launcher;
    EXPECT_TRUE(launch.may_have_others) << launch.launcher;
  }
}

TEST(Launcher, SomeSayWhichOfTheProcessesOfTheMachineThisIs) {
  for (const auto& start : {open_mpi, hydra, mpirun_rsh})
    EXPECT_EQ(launch_in(start(4, 3)).on_node, (NodeRank{1, 2}));
  EXPECT_FALSE(launch_in(slurm(4)).on_node);
  EXPECT_FALSE(launch_in(within(open_mpi(4), {{"OMPI_COMM_WORLD_LOCAL_RANK", "2"}})).on_node)
      << "beyond their number";
}

/// A process of one launcher starts those of another.
TEST(Launcher, TheNearestCountsOfTwo) {
  const std::vector<Environment> nearest_first{open_mpi(5, 4), hydra(6, 5), mpirun_rsh(7, 6),
                                               flux(8, 7),     pals(8),     slurm(10, 9),
                                               prterun(10),    pmi(12, 11)};
  for (std::size_t inner = 0; inner < nearest_first.size(); ++inner)
    for (std::size_t outer = inner; outer < nearest_first.size(); ++outer) {
      const bool prterun_in_slurm = inner == 5 && outer == 6;  // that is the other way round
      const Launch launch = launch_in(within(nearest_first[outer], nearest_first[inner]));
      EXPECT_EQ(launch.rank, static_cast<int>(inner) + (prterun_in_slurm ? 5 : 4))
          << inner << " in " << outer << ": " << launch.variables;
    }
}

TEST(Launcher, OneProcessInAStepOfThreeIsOneOfWhichMpiIsAsked) {
  for (const Environment& outer : {slurm(3, 2), with_pmix(slurm(3, 2), 2, "slurm.pmix.17.0"),
                                   within(pmi(3, 2), slurm(3, 2)), flux(3, 2)})
    for (const Environment& inner : {open_mpi(1), hydra(1), mpirun_rsh(1)}) {
      const Launch launch = launch_in(within(outer, inner));
      EXPECT_EQ(launch.processes, 1) << launch.launcher;
      EXPECT_EQ(launch.rank, 0) << launch.launcher;
      EXPECT_TRUE(launch.may_have_others) << launch.launcher;
      EXPECT_NO_THROW(check_alone(launch, "Open MPI v4.1.4"));
      EXPECT_NO_THROW(check_alone(launch, ""));
    }
}

TEST(Launcher, SlurmSaysTheNumberWhateverItSetsForMpi) {
  for (const Environment& started :
       {with_pmix(slurm(4, 3), 3, "slurm.pmix.17.0"), within(slurm(4, 3), pmi(4, 3))}) {
    EXPECT_EQ(launch_in(started).launcher, "Slurm");
    EXPECT_EQ(launch_in(started).processes, 4);
  }
}

TEST(Launcher, PrterunInAStepOfSlurmIsNearer) {
  const Launch launch = launch_in(within(with_pmix(slurm(3, 2), 2, "slurm.pmix.17.0"), prterun(1)));
  EXPECT_EQ(launch.launcher, "a launcher with PMIx");
  EXPECT_EQ(launch.rank, 1);
  EXPECT_FALSE(launch.processes);
}

TEST(Launcher, APmixOfSlurmWithoutItsVariablesStillCounts) {
  EXPECT_TRUE(launch_in(with_pmix({}, 1, "slurm.pmix.17.0")).may_have_others);
}

TEST(Launcher, ABatchScriptOfSlurmIsNoStep) {
  const Environment script = {
      {"SLURM_PROCID", "0"}, {"SLURM_TASK_PID", "1234"}, {"SLURM_NTASKS", "4"}};
  EXPECT_FALSE(launch_in(script).may_have_others);
  EXPECT_NO_THROW(check_alone(launch_in(script), ""));
  EXPECT_EQ(launch_in(within(script, open_mpi(4))).processes, 4) << "mpirun in the script";
}

TEST(Launcher, WhatAnInteractiveShellOfSlurmStartsIsNoTask) {
  const Environment shell = within({{"SLURM_PTY_PORT", "40000"}},
                                   within(pmi(4), with_pmix(slurm(4), 0, "slurm.pmix.17.0")));
  EXPECT_FALSE(launch_in(shell, true).may_have_others);
  EXPECT_EQ(launch_in(shell, false).processes, 4) << "srun --pty starts the program itself";
  EXPECT_EQ(launch_in(within(shell, {{"SLURM_PROCID", "1"}}), true).processes, 4) << "no terminal";
  EXPECT_EQ(launch_in(within(shell, open_mpi(2)), true).processes, 2) << "mpirun in the shell";
  EXPECT_FALSE(launch_in(within(shell, prterun()), true).processes) << "prterun in the shell";
  EXPECT_EQ(launch_in(slurm(4), true).processes, 4) << "a script with job control";
}

TEST(Launcher, WhatIsNoNumberIsNotSaid) {
  for (const char* wrong : {"many", "4x", "-1", "0", "99999999999"})
    EXPECT_FALSE(launch_in({{"PMI_SIZE", wrong}, {"PMI_RANK", "1"}}).processes) << wrong;
  EXPECT_EQ(launch_in({{"PMI_SIZE", "4"}, {"PMI_RANK", "one"}}).rank, 0);
}

TEST(Launcher, OneVariableIsEnough) {
  EXPECT_EQ(launch_in({{"OMPI_COMM_WORLD_SIZE", "4"}}).processes, 4);
  EXPECT_EQ(launch_in({{"SLURM_STEP_NUM_TASKS", "4"}}).processes, 4);
  EXPECT_TRUE(launch_in({{"FLUX_TASK_RANK", "0"}}).may_have_others);
}

TEST(Launcher, SeveralProcessesThatDoNotFindEachOtherAreAnError) {
  EXPECT_THAT(refusal(slurm(4, 2), "MPICH Version: 4.0.2"),
              AllOf(HasSubstr("Slurm started 4 processes (SLURM_PROCID=2, SLURM_STEP_NUM_TASKS=4)"),
                    HasSubstr("alone in MPI_COMM_WORLD of MPICH Version: 4.0.2"),
                    HasSubstr("; use the launcher of that MPI library, or set OP2_MPI=off")));
  EXPECT_THAT(refusal(slurm(4, 0), ""),
              AllOf(HasSubstr("this build of libop2 has no MPI"), HasSubstr("-DOP2_WITH_MPI=ON")));
}

TEST(Launcher, OthersThanTheFirstAreNotAloneWhateverMpiSays) {
  for (const char* mpi : {"Open MPI v5.0.7", "CRAY MPICH version 8.1.28", ""})
    for (const Environment& started : {prterun(1), pals(1), Environment{{"PMI_ID", "1"}}})
      EXPECT_THAT(refusal(started, mpi), HasSubstr("does not say how many others"));
}

TEST(Launcher, TheFirstIsAloneIfItsMpiKnowsTheLauncher) {
  EXPECT_NO_THROW(check_alone(launch_in(prterun()), "Open MPI v5.0.7"));
  for (const char* mpi : {"MPI VERSION : CRAY MPICH version 8.1.28", "MVAPICH2 Version : 2.3.7",
                          "Intel(R) MPI Library 2021.8 for Linux* OS"})
    EXPECT_NO_THROW(check_alone(launch_in(pals()), mpi)) << mpi;
  EXPECT_THAT(refusal(prterun(), "MPICH Version: 4.0.2"), HasSubstr("(PMIX_RANK=0)"));
  EXPECT_THAT(refusal(pals(), "Open MPI v5.0.7"), HasSubstr("PALS started this process"));
  EXPECT_THAT(refusal({{"PMIX_RANK", "0"}}, "Open MPI v5.0.7"), HasSubstr("PMIX_RANK=0"));
  EXPECT_THAT(refusal(prterun(), ""), HasSubstr("has no MPI"));
}

}  // namespace
}  // namespace op2::test
