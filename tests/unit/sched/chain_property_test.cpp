// SPDX-License-Identifier: BSD-3-Clause
// The analysis against the meaning of loops: random chains in a row on random distributed meshes.
#include <sched/chain_analysis.hpp>

#include <iostream>

#include <support/check_meshes.hpp>

namespace op2::test {
namespace {

using core::Level;

struct Counts {
  int chains = 0;
  int with_local_maps = 0;             ///< chains that use one
  std::int64_t levels = 0, saved = 0;  ///< needed without the rule of local maps, and saved by it
};

std::vector<Level> random_wanted(Random& random, std::size_t dats) {
  std::vector<Level> wanted(dats);
  for (Level& level : wanted) level = one_of(random, {0, 0, 0, 1, 2, 3});
  return wanted;
}

std::int64_t sum_of(const std::vector<Level>& levels) {
  std::int64_t sum = 0;
  for (const Level level : levels) sum += std::max(level, 0);
  return sum;
}

/// In a chain that uses local maps.
void count_saved_levels(std::vector<core::ChainLoop> chain, const std::vector<Level>& wanted,
                        Counts& counts) {
  bool used = false;
  for (const core::ChainLoop& loop : chain)
    for (const core::ChainArg& arg : loop.args) used = used || (loop.local_map && arg.map >= 0);
  if (!used) return;
  ++counts.with_local_maps;
  const std::int64_t needed = sum_of(sched::chain_demand(chain, wanted).need);
  for (core::ChainLoop& loop : chain) loop.local_map = false;
  const std::int64_t without = sum_of(sched::chain_demand(chain, wanted).need);
  counts.levels += without;
  counts.saved += without - needed;
}

/// Runs up to three chains in a row, so that validity carries over; false if anything is wrong.
bool chains_are_right(const ModelMesh& mesh, Random& random, Counts& counts) {
  Values expected = random_values(random, mesh);
  ModelRanks ranks(mesh, expected, random);
  for (int left = pick(random, 1, 3); left > 0; --left) {
    const ModelChain chain = random_chain(random, mesh);
    const auto wanted = random_wanted(random, mesh.dat_sets.size());
    auto plan = sched::analyse_chain(descriptors(mesh, chain), ranks.valid(), wanted);
    if (chance(random, 20)) plan.interior.assign(chain.size(), core::no_level);
    ++counts.chains;
    count_saved_levels(descriptors(mesh, chain), wanted, counts);
    const auto reductions = run_sequentially(mesh, chain, expected);
    if (ranks.run(chain, plan) != reductions || ranks.wrong_values(expected) > 0) return false;
    for (std::size_t dat = 0; dat < wanted.size(); ++dat)
      if (ranks.valid()[dat] < wanted[dat]) return false;
  }
  return ranks.rows_suffice();
}

Counts check_chains(ModelMesh (*make_mesh)(Random&), unsigned seeds) {
  Counts counts;
  check_meshes(make_mesh, seeds, [&](const ModelMesh& mesh, Random& random) {
    return chains_are_right(mesh, random, counts);
  });
  std::cout << "checked " << counts.chains << " random chains on distributed meshes, seeds 1 to "
            << seeds << "\n";
  return counts;
}

TEST(ChainProperty, DistributedChainsGiveTheValuesOfSequentialLoops) {
  RecordProperty("random_chains", check_chains(&random_mesh, 1000).chains);
}

TEST(ChainProperty, ChainsWithLocalMapsDoAndNeedFewerLevels) {
  const Counts counts = check_chains(&random_mesh_with_local_maps, 1850);
  EXPECT_GT(counts.with_local_maps, counts.chains / 2);
  EXPECT_GT(counts.saved, 0);
  std::cout << counts.with_local_maps << " use local maps, and need " << counts.saved << " of "
            << counts.levels << " levels less\n";
  RecordProperty("random_chains", counts.chains);
}

}  // namespace
}  // namespace op2::test
