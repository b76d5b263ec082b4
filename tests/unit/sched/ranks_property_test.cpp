// SPDX-License-Identifier: BSD-3-Clause
// The whole engine on fake ranks against the sequential meaning of loops: random chains in a row on
// random meshes, ghosts full of noise, messages as late as possible, counters exact. TEST_CHAINS
// and TEST_SEED choose how many chains and which.
#include <cstdlib>
#include <iostream>
#include <vector>

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

/// Rings of cells and edges in two halves, and a set each of whose elements leads to one cell.
ModelMesh two_halves(int size) {
  ModelMesh mesh{{size, size, size}, {{1, 0, {}, false}, {2, 0, {}, true}}, {0, 0, 1, 2}, {}, 2};
  std::vector<int> halves;
  for (int k = 0; k < size; ++k) {
    mesh.maps[0].targets.push_back({k, (k + 1) % size});
    mesh.maps[1].targets.push_back({k});
    halves.push_back(2 * k / size);
  }
  mesh.owner.assign(3, halves);
  return mesh;
}

/// Sums over edges, each followed by what uses them, and some loops over the third set.
ModelChain long_chain(Random& random) {
  constexpr int q = 0, sum = 1, of_edges = 2, of_third = 3;
  ModelChain chain;
  for (int stage = 0; stage < 14; ++stage) {
    chain.push_back(
        {1,
         {{q, 0, 0, OP_READ}, {q, 0, 1, OP_READ}, {sum, 0, 0, OP_INC}, {sum, 0, 1, OP_INC}},
         random(),
         false});
    if (chance(random, 40))
      chain.push_back({2, {{sum, 1, 0, OP_INC}, {of_third, -1, 0, OP_RW}}, random(), false});
    if (chance(random, 40))
      chain.push_back({1, {{q, 0, 1, OP_READ}, {of_edges, -1, 0, OP_RW}}, random(), false});
    chain.push_back({0, {{sum, -1, 0, OP_RW}, {q, -1, 0, OP_RW}}, random(), false});
  }
  return chain;
}

/// Interiors end at another level in parts that are not much larger than their boundaries.
TEST(RanksProperty, LongChainsReachDeepIntoLargeParts) {
  for (const int size : {60, 1200}) {
    int deep = 0;
    for (unsigned seed = 1; seed <= 30; ++seed) {
      SCOPED_TRACE(seed);
      std::vector<int> wrong(2), interiors(2);
      comm::run_fake_ranks(2, [&](comm::Communicator& ranks) {
        Random random(seed);
        const ModelMesh mesh = two_halves(size);
        Values expected = random_values(random, mesh);
        core::Options options;
        options.jit = core::JitMode::off;
        options.chain = core::ChainMode::on;
        options.depth_max = 30;
        ModelOnRanks real(ranks, mesh, expected, options, 1, random);
        real.distribute(mesh.owner);
        const ModelChain chain = long_chain(random);
        const std::vector<core::Level> owned(mesh.dat_sets.size(), 0);
        for (const core::Level interior :
             sched::analyse_chain(descriptors(mesh, chain), owned, owned).interior)
          interiors[static_cast<std::size_t>(ranks.rank())] +=
              interior < core::deepest_of_small_parts && interior >= real.deepest() ? 1 : 0;
        for (int repetition = 0; repetition < 2; ++repetition) {
          const auto sums = real.run(chain);
          wrong[static_cast<std::size_t>(ranks.rank())] +=
              (sums != run_sequentially(mesh, chain, expected)) + real.wrong_values(expected);
        }
      });
      EXPECT_EQ(wrong, std::vector<int>(2, 0));
      deep += interiors.front();
    }
    EXPECT_EQ(deep > 100, size > 60) << deep;
  }
}

}  // namespace
}  // namespace op2::test
