// SPDX-License-Identifier: BSD-3-Clause
// Random chains whose loops run as far as their neighbours give the values of sequential loops,
// also in the rows that only those make valid.
#include <sched/widen.hpp>

#include <iostream>

#include <support/check_meshes.hpp>

namespace op2::test {
namespace {

using core::Level;

/// Two or three loops in a row over one set, whose elements change what they have.
void add_neighbours(Random& random, const ModelMesh& mesh, ModelChain& chain) {
  const int set = mesh.dat_sets[static_cast<std::size_t>(
      pick(random, 0, static_cast<int>(mesh.dat_sets.size()) - 1))];
  for (int k = pick(random, 2, 3); k > 0; --k) {
    ModelLoop loop{set, {}, random(), chance(random, 10)};
    for (int dat = 0; dat < std::ssize(mesh.dat_sets); ++dat)
      if (mesh.dat_sets[dat] == set && chance(random, 70))
        loop.args.push_back(
            {dat, -1, 0, one_of(random, {OP_READ, OP_READ, OP_WRITE, OP_WRITE, OP_RW, OP_INC})});
    chain.push_back(loop);
  }
}

/// Whether a loop and the one before it are over one set and access a dat by the same element.
bool share_rows(const ModelChain& chain, std::size_t l) {
  if (chain[l].set != chain[l - 1].set) return false;
  for (const ModelArg& first : chain[l - 1].args)
    for (const ModelArg& second : chain[l].args)
      if (first.map < 0 && second.map < 0 && first.dat == second.dat) return true;
  return false;
}

/// The levels of a chain with other extents.
core::ChainLevels with_extents(std::vector<Level> extent, const std::vector<core::ChainLoop>& chain,
                               core::ChainLevels plan, const std::vector<Level>& valid) {
  const sched::ChainDemand demand{std::move(extent), plan.need};
  plan.interior = sched::interiors_of_loops(chain, demand, valid);
  plan.valid = sched::validity_after(chain, demand, valid);
  plan.extent = demand.extent;
  return plan;
}

/// Runs two chains in a row, so that validity carries over; false if anything is wrong.
bool chains_are_right(const ModelMesh& mesh, Random& random, int& widened) {
  Values expected = random_values(random, mesh);
  ModelRanks ranks(mesh, expected, random);
  const std::vector<Level> wanted(mesh.dat_sets.size(), 0);
  for (int left = 2; left > 0; --left) {
    ModelChain chain;
    for (int k = pick(random, 1, 3); k > 0; --k) {
      add_neighbours(random, mesh, chain);
      chain.push_back(random_loop(random, mesh));
    }
    const std::vector<core::ChainLoop> loops = descriptors(mesh, chain);
    const core::ChainLevels plan = sched::analyse_chain(loops, ranks.valid(), wanted);
    std::vector<Level> extent =
        sched::widened_extents(loops, {plan.extent, plan.need}, ranks.valid());
    for (std::size_t l = 0; l < extent.size(); ++l) {
      if (extent[l] < plan.extent[l]) return false;
      widened += extent[l] > plan.extent[l] ? 1 : 0;
      const bool together = l > 0 && share_rows(chain, l) && plan.extent[l] == plan.extent[l - 1];
      if (together && extent[l] != extent[l - 1]) return false;
    }
    const auto reductions = run_sequentially(mesh, chain, expected);
    const auto wider = with_extents(std::move(extent), loops, plan, ranks.valid());
    if (ranks.run(chain, wider) != reductions || ranks.wrong_values(expected) > 0) return false;
  }
  return ranks.rows_suffice();
}

void check_chains(ModelMesh (*make_mesh)(Random&), unsigned seeds) {
  int widened = 0;
  check_meshes(make_mesh, seeds, [&](const ModelMesh& mesh, Random& random) {
    return chains_are_right(mesh, random, widened);
  });
  EXPECT_GT(widened, 150);
  std::cout << "checked " << widened << " loops that run further than needed, seeds 1 to " << seeds
            << "\n";
}

TEST(WidenProperty, LoopsThatRunFurtherGiveTheValuesOfSequentialLoops) {
  check_chains(&random_mesh, 2000);
}

TEST(WidenProperty, WithLocalMapsTheyDoSoToo) {
  check_chains(&random_mesh_with_local_maps, 2000);
}

}  // namespace
}  // namespace op2::test
