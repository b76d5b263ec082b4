// SPDX-License-Identifier: BSD-3-Clause
// With OP2_REPRODUCIBLE=on, random programs whose sums are rounded give the same bits on any number
// of threads, with and without vectors, tiles, fusion and another order of the elements.
// TEST_CHAINS and TEST_SEED choose how many and which; TEST_TARGET=cuda: on a device, whose bits
// are those of the CPU.
#include <iostream>

#include <gtest/gtest.h>

#include <equivalence/against_reference.hpp>

namespace op2::test {
namespace {

using Settings = std::vector<Setting>;

std::vector<Settings> on_device() {
  return {{}, {{"OP2_RENUMBER", "on"}, {"OP2_DEBUG", "queue_max=7,no_fuse,keep_dead"}}};
}

std::vector<Settings> configurations() {
  if (is_on_device()) return on_device();
  return {
      {{"OP2_THREADS", "1"}},
      {{"OP2_THREADS", "2"}, {"OP2_DEBUG", "queue_max=7"}, {"OP2_SIMD", "on"}},
      {{"OP2_THREADS", "3"}, {"OP2_DEBUG", "no_fuse,keep_dead,no_simd"}},
      {{"OP2_THREADS", "3"}, {"OP2_TILE", "shuffled"}, {"OP2_RENUMBER", "on"}, {"OP2_SIMD", "on"}},
      {{"OP2_THREADS", "2"}, {"OP2_TILE", "50"}, {"OP2_SIMD", "on"}},
      {{"OP2_THREADS", "2"}, {"OP2_CHECK", "bits"}}};
}

Settings reproducible(Settings settings) {
  settings.push_back({"OP2_REPRODUCIBLE", "on"});
  return settings;
}

Settings tested(Settings settings) {
  settings.push_back(tested_target());
  return reproducible(std::move(settings));
}

const Settings in_order = {{"OP2_TARGET", "reference"}, {"OP2_DEBUG", "queue_max=1"}};

TEST(Reproducible, RandomChainsGiveTheSameBitsInAnyOrderOfExecution) {
  const int wanted = static_cast<int>(from_environment("TEST_CHAINS", 100));
  int chains = 0, tilings = 0;
  for (std::uint64_t seed = from_environment("TEST_SEED", 1); chains < wanted; ++seed) {
    const ProgramShape shape = shape_for(seed, wanted);
    const Observed expected = run_program(shape, reproducible(in_order));
    int number = 0;
    for (const Settings& settings : configurations()) {
      const Observed got = run_program(shape, tested(settings));
      expect_equal(expected, got,
                   "seed " + std::to_string(seed) + ", configuration " + std::to_string(number++));
      if (HasFatalFailure()) return;
      tilings += got.tilings;
    }
    chains += expected.chains;
  }
  std::cout << "checked " << chains << " random chains for the same bits in "
            << configurations().size() << " configurations; loops ran in tiles " << tilings
            << " times\n";
  EXPECT_TRUE(tilings > 0 || is_on_device()) << tilings;
}

/// Otherwise the test above proves nothing.
TEST(Reproducible, OtherwiseBitsDepend) {
  if (is_on_device()) GTEST_SKIP() << "the order of atomic additions is the device's";
  int differing = 0;
  for (std::uint64_t seed = 1; seed <= 3 && differing == 0; ++seed) {
    const ProgramShape shape = shape_for(seed, ProgramShape{}.chains);  // of one mesh
    const Settings tiles = configurations()[3];
    differing += run_program(shape, configurations()[0]).values != run_program(shape, tiles).values;
  }
  EXPECT_GT(differing, 0);
}

}  // namespace
}  // namespace op2::test
