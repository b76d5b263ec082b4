// SPDX-License-Identifier: BSD-3-Clause
// The analysis against the meaning of loops: random chains in a row on random distributed meshes.
#include <sched/chain_analysis.hpp>

#include <iostream>

#include <gtest/gtest.h>

#include <support/random_chains.hpp>

namespace op2::test {
namespace {

using core::Level;

std::vector<Level> random_wanted(Random& random, std::size_t dats) {
  std::vector<Level> wanted(dats);
  for (Level& level : wanted) level = one_of(random, {0, 0, 0, 1, 2, 3});
  return wanted;
}

/// Runs up to three chains in a row, so that validity carries over; false if anything is wrong.
bool chains_are_right(unsigned seed, int& chains) {
  Random random(seed);
  const ModelMesh mesh = random_mesh(random);
  Values expected = random_values(random, mesh);
  ModelRanks ranks(mesh, expected, random);
  for (int left = pick(random, 1, 3); left > 0; --left) {
    const ModelChain chain = random_chain(random, mesh);
    const auto wanted = random_wanted(random, mesh.dat_sets.size());
    auto plan = sched::analyse_chain(descriptors(chain), ranks.valid(), wanted);
    if (chance(random, 20)) plan.interior.assign(chain.size(), core::no_level);
    ++chains;
    const auto reductions = run_sequentially(mesh, chain, expected);
    if (ranks.run(chain, plan) != reductions || ranks.wrong_values(expected) > 0) return false;
    for (std::size_t dat = 0; dat < wanted.size(); ++dat)
      if (ranks.valid()[dat] < wanted[dat]) return false;
  }
  return ranks.rows_suffice();
}

TEST(ChainProperty, DistributedChainsGiveTheValuesOfSequentialLoops) {
  constexpr unsigned first_seed = 1, seeds = 1000;
  int chains = 0, wrong = 0;
  for (unsigned seed = first_seed; seed < first_seed + seeds; ++seed)
    if (!chains_are_right(seed, chains) && wrong++ < 5)
      ADD_FAILURE() << "seed " << seed << " fails";
  EXPECT_EQ(wrong, 0) << wrong << " of " << seeds << " random meshes differ";
  RecordProperty("random_chains", chains);
  std::cout << "checked " << chains << " random chains on distributed meshes, seeds " << first_seed
            << " to " << first_seed + seeds - 1 << "\n";
}

}  // namespace
}  // namespace op2::test
