// SPDX-License-Identifier: BSD-3-Clause
// The checks of ranks_property_test on the ranks of a real job.
#include <iostream>

#include <gtest/gtest.h>

#include <comm/messages/mpi_communicator.hpp>
#include <support/model_on_ranks.hpp>

namespace op2::test {
namespace {

TEST(RanksProperty, ChainsOnRanksGiveTheValuesOfSequentialLoops) {
  const auto session = comm::start_mpi({});
  comm::Communicator& ranks = *session->communicator;
  constexpr unsigned first = 100'001, seeds = 60;
  int chains = 0;
  for (unsigned seed = first; seed < first + seeds; ++seed) {
    const ModelOutcome outcome = check_model(ranks, seed);
    EXPECT_EQ(outcome.wrong, 0) << "seed " << seed;
    chains += outcome.chains;
  }
  if (ranks.is_root())
    std::cout << "checked " << chains << " random chains on " << ranks.size() << " ranks of MPI\n";
}

}  // namespace
}  // namespace op2::test
