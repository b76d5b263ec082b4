// SPDX-License-Identifier: BSD-3-Clause
// Random programs give the same results, bit by bit, whether loops run one by one through host
// functions or lazily, compiled, on several threads, tile by tile, in an order of the library's
// own. TEST_CHAINS and TEST_SEED choose how many and which; TEST_TARGET is another target;
// TEST_TILES=0 is for executors without tiles, TEST_JIT=on for libraries without LLVM.
// TEST_GATHERS=1: rows must gather.
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <equivalence/against_reference.hpp>

namespace op2::test {
namespace {

std::vector<std::vector<Setting>> in_declared_order() {
  const std::string jit = jit_of_tests();
  const Setting off{"OP2_RENUMBER", "off"};
  return {{{"OP2_THREADS", "1"}, {"OP2_JIT", jit}, off},
          {{"OP2_THREADS", "2"},
           {"OP2_JIT", jit},
           {"OP2_DEBUG", "queue_max=7"},
           {"OP2_SIMD", "on"},
           off},
          {{"OP2_THREADS", "3"}, {"OP2_JIT", jit}, {"OP2_DEBUG", "keep_dead"}, off}};
}

/// Loops whose elements read what others modify have another order.
std::vector<std::vector<Setting>> in_another_order() {
  const std::string jit = jit_of_tests();
  return {{{"OP2_THREADS", "3"},
           {"OP2_JIT", jit},
           {"OP2_TILE", "shuffled"},
           {"OP2_RENUMBER", "on"},
           {"OP2_SIMD", "on"}},
          {{"OP2_THREADS", "1"}, {"OP2_JIT", jit}, {"OP2_TILE", "50"}, {"OP2_RENUMBER", "on"}},
          {{"OP2_THREADS", "2"}, {"OP2_JIT", "off"}, {"OP2_RENUMBER", "on"}}};
}

std::string place_of(std::uint64_t seed, int configuration) {
  return "seed " + std::to_string(seed) + ", configuration " + std::to_string(configuration);
}

ProgramShape with(ProgramShape shape, OrderedLoops ordered) {
  shape.ordered = ordered;
  return shape;
}

TEST(Equivalence, RandomChainsGiveTheResultsOfTheReferenceExecutor) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr unsigned usual = 200;  // instrumented kernels take long to compile
#else
  constexpr unsigned usual = 400;
#endif
  const int wanted = static_cast<int>(from_environment("TEST_CHAINS", usual));
  const std::uint64_t first = from_environment("TEST_SEED", 1);
  int chains = 0, tilings = 0, fusions = 0, gathers = 0;
  for (std::uint64_t seed = first; chains < wanted; ++seed) {
    int number = 0;
    const auto compare = [&](const ProgramShape& shape,
                             const std::vector<std::vector<Setting>>& configurations) {
      const Observed reference = run_program(shape, settings_of_reference);
      for (auto settings : configurations) {
        settings.push_back(tested_target());
        const Observed got = run_program(shape, settings);
        expect_equal(reference, got, place_of(seed, number++));
        if (HasFatalFailure()) return;
        tilings += got.tilings;
        fusions += got.fusions;
        gathers += got.gathers;
      }
      chains += reference.chains;
    };
    const ProgramShape shape = shape_for(seed, (wanted + 1) / 2);
    compare(shape, in_declared_order());
    if (HasFatalFailure()) return;
    compare(with(shape, is_on_device() ? OrderedLoops::all : OrderedLoops::payloads),
            in_another_order());
    if (HasFatalFailure()) return;
  }
  std::cout << "checked " << chains << " random chains against the reference executor in "
            << in_declared_order().size() << " configurations each; loops ran in tiles " << tilings
            << " times, " << fusions << " became part of others; rows gathered in " << gathers
            << " runs\n";
  EXPECT_TRUE(tilings > 0 || from_environment("TEST_TILES", 1) == 0) << tilings;
  EXPECT_TRUE(fusions > 0 || is_on_device()) << fusions;
  EXPECT_TRUE(gathers > 0 || from_environment("TEST_GATHERS", 0) == 0) << gathers;
  RecordProperty("chains", chains);
}

/// That of host functions, with as many threads.
TEST(Equivalence, LoopsOfRowsThatOthersModifyHaveOneOrderForEachNumberOfThreads) {
  if (is_on_device()) GTEST_SKIP() << "the host runs them in the declared order";
  const int wanted = static_cast<int>(from_environment("TEST_CHAINS", 150)) / 4;
  int chains = 0, differing = 0;
  for (std::uint64_t seed = from_environment("TEST_SEED", 1); chains < wanted; ++seed) {
    const ProgramShape shape = shape_for(seed, wanted);
    const Observed declared = run_program(shape, settings_of_reference);
    int number = 0;
    for (const Setting& threads : {Setting{"OP2_THREADS", "2"}, Setting{"OP2_THREADS", "3"}}) {
      const std::vector<Setting> usual{threads, {"OP2_RENUMBER", "on"}};
      auto plain = usual, compiled = usual;
      plain.insert(plain.end(), {{"OP2_JIT", "off"}, {"OP2_DEBUG", "queue_max=1"}});
      compiled.insert(compiled.end(), {{"OP2_JIT", jit_of_tests()}, {"OP2_TILE", "shuffled"}});
      const Observed expected = run_program(shape, plain);
      expect_equal(expected, run_program(shape, compiled), place_of(seed, number++));
      if (HasFatalFailure()) return;
      differing += expected.values != declared.values ? 1 : 0;
    }
    chains += declared.chains;
  }
  EXPECT_GT(differing, 0) << "the order is the declared one";
}

}  // namespace
}  // namespace op2::test
