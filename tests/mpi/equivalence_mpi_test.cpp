// SPDX-License-Identifier: BSD-3-Clause
// Random programs give on several ranks, compiled, on two threads each, in chains and tile by tile,
// the same bits as through host functions: on one rank, or, if the result depends on the order of
// elements, on as many ranks; on devices with the messages of the CPU.
// TEST_CHAINS and TEST_SEED choose how many and which; TEST_TARGET is another target; TEST_TILES=0
// is for executors without tiles; TEST_GATHERS=1: rows must gather.
#include <functional>
#include <iostream>

#include <gtest/gtest.h>
#include <mpi.h>

#include <equivalence/against_reference.hpp>

namespace op2::test {
namespace {

std::vector<std::vector<Setting>> configurations() {
  const auto with = [](std::vector<Setting> more) {
    std::vector<Setting> settings{{"OP2_THREADS", "2"}, {"OP2_JIT", "require"}};
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
  };
  return {with({{"OP2_CHAIN", "on"}, {"OP2_TILE", "shuffled"}, {"OP2_RENUMBER", "on"}}),
          with({{"OP2_CHAIN", "off"}, {"OP2_TILE", "shuffled"}, {"OP2_RENUMBER", "on"}}),
          with({{"OP2_CHAIN", "on"},
                {"OP2_TILE", "50"},
                {"OP2_DEPTH_MAX", "2"},
                {"OP2_DEBUG", "slice=always"}}),
          with({{"OP2_CHAIN", "auto"}, {"OP2_DEBUG", "schedules=7"}, {"OP2_TILE", "shuffled"}})};
}

/// Every rank runs all of the program alone.
Observed run_alone(const ProgramShape& shape) {
  return run_program(shape, settings_of_reference,
                     [] { op_mpi_init(0, nullptr, 0, MPI_Comm_c2f(MPI_COMM_SELF)); });
}

/// What ranks send each other follows from the program and the switches, not from what runs loops.
/// Slices of chains are for the CPU alone, and tiles change nothing.
void expect_messages_of_cpu(const ProgramShape& shape, std::vector<Setting> settings,
                            const Observed& got, const std::string& place) {
  settings.insert(settings.end(), {{"OP2_TARGET", "cpu"}, {"OP2_TILE", "off"}});
  const auto debug = std::ranges::find(settings, "OP2_DEBUG", &Setting::name);
  if (debug == settings.end())
    settings.push_back({"OP2_DEBUG", "slice=off"});
  else if (debug->value == "slice=always")
    debug->value = "slice=off";
  else
    debug->value += ",slice=off";
  const Observed on_cpu = run_program(shape, settings, [] { op_init(0, nullptr, 0); });
  EXPECT_EQ(got.sent, on_cpu.sent) << place;
}

/// Compiled, on as many ranks.
/// @param ranks  becomes their number
Observed run_on_ranks(const ProgramShape& shape, const std::vector<Setting>& settings, int& ranks) {
  return run_program(shape, settings, [&] {
    op_init(0, nullptr, 0);
    ranks = op_ranks();
  });
}

std::string place_of(const ProgramShape& shape, int configuration) {
  return "seed " + std::to_string(shape.seed) + ", configuration " + std::to_string(configuration);
}

bool fails_anywhere(bool here) {
  int fails = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &fails, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return fails != 0;
}

/// Runs a program in all configurations. Collective. @return whether all results are the
/// reference's
/// @param count  gets what each has observed
bool all_agree(const Observed& reference, const ProgramShape& shape, int& ranks,
               const std::function<void(const Observed&)>& count) {
  int number = 0;
  for (auto settings : configurations()) {
    settings.push_back(tested_target());
    const Observed got = run_on_ranks(shape, settings, ranks);
    const std::string place = place_of(shape, number++);
    expect_equal(reference, got, place);
    if (is_on_device()) expect_messages_of_cpu(shape, settings, got, place);
    if (fails_anywhere(testing::Test::HasFailure())) return false;
    count(got);
  }
  return true;
}

TEST(EquivalenceOnRanks, RandomChainsGiveTheResultsOfTheReferenceExecutorOnOneRank) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr unsigned usual = 75;  // instrumented kernels take long to compile
#else
  constexpr unsigned usual = 100;
#endif
  const int wanted = static_cast<int>(from_environment("TEST_CHAINS", usual));
  ProgramShape shape = first_on_ranks(wanted, OrderedLoops::none);
  int chains = 0, tilings = 0, fusions = 0, gathers = 0, ranks = 0;
  std::int64_t sent = 0;  // bytes
  for (; chains < wanted; ++shape.seed) {
    const Observed reference = run_alone(shape);
    const auto count = [&](const Observed& got) {
      sent += got.sent.back();
      tilings += got.tilings;
      fusions += got.fusions;
      gathers += got.gathers;
    };
    if (!all_agree(reference, shape, ranks, count)) return;
    chains += reference.chains;
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;  // rank 0 has the trace of all
  if (from_environment("TEST_TILES", 1) != 0) {
    EXPECT_GT(tilings, 0);
  }
  EXPECT_TRUE(fusions > 0 || is_on_device());
  EXPECT_TRUE(sent > 0 || ranks == 1);
  EXPECT_TRUE(gathers > 0 || from_environment("TEST_GATHERS", 0) == 0) << gathers;
  std::cout << "checked " << chains << " random chains on " << ranks
            << " ranks against the reference executor on one, in " << configurations().size()
            << " configurations; loops ran in tiles " << tilings << " times, " << fusions
            << " became part of others; rows gathered in " << gathers << " programs; " << sent
            << " bytes were sent by rank 0\n";
}

/// Colours are one order on all numbers of ranks above one, so host functions find the same there.
TEST(EquivalenceOnRanks, LoopsInColoursGiveTheResultsOfTheReferenceExecutorOnAsManyRanks) {
  const int wanted = static_cast<int>(from_environment("TEST_CHAINS", 150)) / 3;
  ProgramShape shape = first_on_ranks(wanted, OrderedLoops::in_colours);
  int chains = 0, ranks = 0;
  for (; chains < wanted; ++shape.seed) {
    const Observed reference = run_on_ranks(shape, settings_of_reference, ranks);
    if (ranks == 1) GTEST_SKIP() << "one rank keeps the order of the declaration";
    if (!all_agree(reference, shape, ranks, [](const Observed&) {})) return;
    chains += reference.chains;
  }
}

}  // namespace
}  // namespace op2::test
