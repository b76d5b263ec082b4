// SPDX-License-Identifier: BSD-3-Clause
// The checks of ranks_property_test on the ranks of a real job. TEST_CHAINS and TEST_SEED choose
// how many chains and which.
#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>

#include <comm/messages/mpi_communicator.hpp>
#include <support/model_on_ranks.hpp>

namespace op2::test {
namespace {

unsigned from_environment(const char* name, unsigned fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

TEST(RanksProperty, ChainsOnRanksGiveTheValuesOfSequentialLoops) {
  const auto session = comm::start_mpi({});
  comm::Communicator& ranks = *session->communicator;
  const unsigned wanted = from_environment("TEST_CHAINS", 180);
  unsigned seed = from_environment("TEST_SEED", 100'001);
  int chains = 0;
  for (; chains < static_cast<int>(wanted); ++seed) {
    const ModelOutcome outcome = check_model(ranks, seed);
    EXPECT_EQ(outcome.wrong, 0) << "seed " << seed;
    chains += outcome.chains;
  }
  if (ranks.is_root())
    std::cout << "checked " << chains << " random chains on " << ranks.size() << " ranks of MPI\n";
}

}  // namespace
}  // namespace op2::test
