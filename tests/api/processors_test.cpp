// SPDX-License-Identifier: BSD-3-Clause
#include <api/processors.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <support/variable.hpp>

namespace op2::api {
namespace {

using test::Variable;

using testing::ElementsAre;

/// What the launcher says of this process.
struct Launched {
  Variable rank{"OMPI_COMM_WORLD_RANK", "1"}, ranks{"OMPI_COMM_WORLD_SIZE", "2"};
  Variable node_rank{"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
      node_ranks{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"};
};

/// A process that may use four cores.
core::Topology process_of(int machine_cores) {
  return {.cores = {{0, 0, {4}}, {1, 0, {5}}, {2, 0, {6}}, {3, 0, {7}}},
          .machine_cores = machine_cores};
}

std::vector<int> share_of(const core::Topology& process) {
  return share_of_machine(process, *comm::make_self_communicator()).processors();
}

TEST(ProcessorsOfAProcess, AreAllIfItIsAlone) {
  EXPECT_THAT(share_of(process_of(4)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(ProcessorsOfAProcess, AreThoseOfItsPlaceBesideOthersOfTheLauncher) {
  const Launched second_of_two;
  EXPECT_THAT(share_of(process_of(4)), ElementsAre(2, 3, 6, 7));
}

TEST(ProcessorsOfAProcess, AreAllIfTheLauncherHasBoundIt) {
  const Launched second_of_two;
  EXPECT_THAT(share_of(process_of(8)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(ProcessorsOfAProcess, ShareAQuotaWithTheOthers) {
  core::Topology limited = process_of(4);
  limited.quotas = {{2, 1}};
  const Launched second_of_two;
  const auto share = share_of_machine(limited, *comm::make_self_communicator());
  EXPECT_EQ(share.threads(), 1);
  EXPECT_EQ(share.cores.size(), 4U);
}

TEST(LinesOfRanks, NameTheRanksOfWhichTheSameIsSaid) {
  EXPECT_THAT(lines_of({"2 threads"}), ElementsAre("2 threads"));
  EXPECT_THAT(lines_of({"b", "a", "b", "b"}),
              ElementsAre("each of ranks 0,2-3 has b", "rank 1 has a"));
}

TEST(LinesOfRanks, AreShortWithManyRanks) {
  std::vector<std::string> texts;
  for (int rank = 0; rank < 1000; ++rank) texts.emplace_back(rank % 2 == 0 ? "b" : "a");
  EXPECT_THAT(
      lines_of(texts),
      ElementsAre("each of ranks 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,"
                  "... (500 ranks) has b",
                  "each of ranks 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,"
                  "... (500 ranks) has a"));
}

}  // namespace
}  // namespace op2::api
