// SPDX-License-Identifier: BSD-3-Clause
// With OP2_REPRODUCIBLE=on, random programs whose sums are rounded give on several ranks the bits
// that they give on one rank and one thread. TEST_CHAINS and TEST_SEED choose how many and which;
// TEST_TARGET=cuda: on a device for each rank, whose bits are those of the CPU.
#include <iostream>

#include <gtest/gtest.h>
#include <mpi.h>

#include <equivalence/against_reference.hpp>
#include <support/dead_reader.hpp>

namespace op2::test {
namespace {

using Settings = std::vector<Setting>;

std::vector<Settings> on_devices() {
  return {{{"OP2_CHAIN", "off"}},
          {{"OP2_CHAIN", "on"}},
          {{"OP2_CHAIN", "on"}, {"OP2_PARTITIONER", "random"}, {"OP2_DEPTH_MAX", "2"}},
          {{"OP2_CHAIN", "on"}, {"OP2_RENUMBER", "on"}, {"OP2_DEBUG", "no_fuse"}}};
}

std::vector<Settings> configurations() {
  if (is_on_device()) return on_devices();
  return {{{"OP2_THREADS", "1"}, {"OP2_CHAIN", "off"}},
          {{"OP2_THREADS", "2"}, {"OP2_CHAIN", "on"}},
          {{"OP2_THREADS", "2"},
           {"OP2_CHAIN", "on"},
           {"OP2_DEBUG", "slice=always"},
           {"OP2_TILE", "shuffled"},
           {"OP2_SIMD", "on"}},
          {{"OP2_THREADS", "1"},
           {"OP2_CHAIN", "on"},
           {"OP2_PARTITIONER", "random"},
           {"OP2_DEPTH_MAX", "2"}},
          {{"OP2_THREADS", "1"}, {"OP2_CHAIN", "auto"}, {"OP2_DEBUG", "schedules=5"}},
          {{"OP2_THREADS", "2"}, {"OP2_CHAIN", "off"}, {"OP2_RENUMBER", "on"}, {"OP2_TILE", "50"}}};
}

Settings reproducible(Settings settings) {
  settings.push_back({"OP2_REPRODUCIBLE", "on"});
  return settings;
}

Settings tested(Settings settings) {
  settings.push_back(tested_target());
  return reproducible(std::move(settings));
}

/// Every rank runs all of the program alone.
Observed run_alone(const ProgramShape& shape) {
  return run_program(shape,
                     reproducible({{"OP2_TARGET", "reference"}, {"OP2_DEBUG", "queue_max=1"}}),
                     [] { op_mpi_init(0, nullptr, 0, MPI_Comm_c2f(MPI_COMM_SELF)); });
}

bool fails_anywhere(bool here) {
  int fails = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &fails, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return fails != 0;
}

TEST(ReproducibleOnRanks, SumsAreRoundedWhereALoopReadsThemAlsoIfItIsDead) {
  const std::vector<Settings> all = {{},
                                     {{"OP2_CHAIN", "off"}},
                                     {{"OP2_CHAIN", "on"}},
                                     {{"OP2_CHAIN", "on"}, {"OP2_DEPTH_MAX", "1"}},
                                     {{"OP2_CHAIN", "on"}, {"OP2_DEBUG", "keep_dead"}},
                                     {{"OP2_DEBUG", "queue_max=1"}}};
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Settings settings = tested(all[k]);
    for (const Setting& one : settings) setenv(one.name.c_str(), one.value.c_str(), 1);
    op_init(0, nullptr, 0);
    EXPECT_EQ(sum_around_a_dead_reader(500), 1.0) << "configuration " << k;
    op_exit();
    for (const Setting& one : settings) unsetenv(one.name.c_str());
  }
}

TEST(ReproducibleOnRanks, RandomChainsGiveTheBitsOfOneRank) {
  const int wanted = static_cast<int>(from_environment("TEST_CHAINS", 75));
  ProgramShape shape = first_on_ranks(wanted, OrderedLoops::in_colours);
  int chains = 0, ranks = 0, rank = 0;
  for (; chains < wanted; ++shape.seed) {
    const Observed expected = run_alone(shape);
    int number = 0;
    for (const Settings& settings : configurations()) {
      const Observed got = run_program(shape, tested(settings), [&] {
        op_init(0, nullptr, 0);
        ranks = op_ranks();
      });
      expect_equal(
          expected, got,
          "seed " + std::to_string(shape.seed) + ", configuration " + std::to_string(number++));
      if (fails_anywhere(HasFatalFailure())) return;
    }
    chains += expected.chains;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  std::cout << "checked " << chains << " random chains on " << ranks
            << " ranks for the bits of one, in " << configurations().size() << " configurations\n";
}

}  // namespace
}  // namespace op2::test
