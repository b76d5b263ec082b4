// SPDX-License-Identifier: BSD-3-Clause
// The whole engine on fake ranks against the sequential meaning of loops: random chains in a row on
// random meshes, ghosts full of noise, messages as late as possible, counters exact. TEST_CHAINS
// and TEST_SEED choose how many chains and which.
#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>

#include <support/fake_communicator.hpp>
#include <support/model_on_ranks.hpp>

namespace op2::test {
namespace {

unsigned from_environment(const char* name, unsigned fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

TEST(RanksProperty, ChainsOnRanksGiveTheValuesOfSequentialLoops) {
  const unsigned wanted = from_environment("TEST_CHAINS", 2000);
  const unsigned first = from_environment("TEST_SEED", 1);
  int chains = 0, wrong = 0, sliced = 0;
  unsigned seed = first;
  for (; chains < static_cast<int>(wanted); ++seed) {
    const int ranks = 1 + static_cast<int>(seed % 8);
    std::vector<ModelOutcome> outcomes(static_cast<std::size_t>(ranks));
    comm::run_fake_ranks(ranks, [&](comm::Communicator& communicator) {
      outcomes[static_cast<std::size_t>(communicator.rank())] = check_model(communicator, seed);
    });
    int here = 0;
    for (const ModelOutcome& outcome : outcomes) here += outcome.wrong;
    chains += outcomes.front().chains;
    sliced += outcomes.front().sliced;
    if (here > 0 && wrong++ < 5) ADD_FAILURE() << "seed " << seed << ", " << ranks << " ranks";
  }
  if (wanted >= 1000) {
    EXPECT_GT(sliced, 0);
  }
  EXPECT_EQ(wrong, 0) << wrong << " of " << seed - first << " random meshes differ";
  std::cout << (wrong == 0 ? "checked " : "failed in ") << chains
            << " random chains on 1 to 8 fake ranks, seeds " << first << " to " << seed - 1 << ", "
            << wrong << " failures; " << sliced << " chains whose slices were counted\n";
}

}  // namespace
}  // namespace op2::test
