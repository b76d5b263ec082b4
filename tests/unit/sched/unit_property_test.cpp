// SPDX-License-Identifier: BSD-3-Clause
// Chains whose loops run in units that gather: random half steps on random distributed meshes give
// the values of sequential loops, whatever runs while messages are in flight.
#include <sched/chain_analysis.hpp>

#include <algorithm>
#include <iostream>

#include <support/check_meshes.hpp>

namespace op2::test {
namespace {

using core::Level;
using sched::LoopUnit;

/// Loops [begin, end) of a chain of which the first `gathered` may be gathered by the others.
struct HalfStep {
  std::size_t begin, gathered, end;
};

std::vector<int> dats_on(const ModelMesh& mesh, int set) {
  std::vector<int> dats;
  for (int dat = 0; dat < std::ssize(mesh.dat_sets); ++dat)
    if (mesh.dat_sets[dat] == set) dats.push_back(dat);
  return dats;
}

/// Elements add to `sum` through all columns of a map what they compute of other dats.
ModelLoop random_fluxes(Random& random, const ModelMesh& mesh, const ModelMap& map, int number,
                        int sum) {
  ModelLoop loop{map.from, {}, random(), false};
  for (int dat = 0; dat < std::ssize(mesh.dat_sets); ++dat) {
    if (dat == sum || chance(random, 30)) continue;
    if (mesh.dat_sets[dat] == map.to)
      for (int column = 0; column < std::ssize(map.targets[0]); ++column)
        loop.args.push_back({dat, number, column, OP_READ});
    else if (mesh.dat_sets[dat] == map.from)
      loop.args.push_back({dat, -1, 0, OP_READ});
  }
  for (int column = 0; column < std::ssize(map.targets[0]); ++column)
    loop.args.push_back({sum, number, column, OP_INC});
  return loop;
}

/// Elements use their sum and change what they have.
ModelLoop random_update(Random& random, const ModelMesh& mesh, int set, int sum) {
  ModelLoop loop{set, {}, random(), chance(random, 30)};
  for (const int dat : dats_on(mesh, set))
    if (dat == sum || chance(random, 60))
      loop.args.push_back({dat, -1, 0, one_of(random, {OP_READ, OP_WRITE, OP_RW, OP_INC})});
  for (ModelArg& arg : loop.args)
    if (arg.dat == sum) arg.access = one_of(random, {OP_READ, OP_RW});
  return loop;
}

void add_half_step(Random& random, const ModelMesh& mesh, ModelChain& chain,
                   std::vector<HalfStep>& steps) {
  const int number = pick(random, 0, static_cast<int>(mesh.maps.size()) - 1);
  const ModelMap& map = mesh.maps[number];
  const std::vector<int> dats = dats_on(mesh, map.to);
  if (map.targets.empty() || map.from == map.to || dats.empty()) return;
  const int sum =
      dats[static_cast<std::size_t>(pick(random, 0, static_cast<int>(dats.size()) - 1))];
  HalfStep step{chain.size(), 0, 0};
  for (int k = pick(random, 1, 2); k > 0; --k, ++step.gathered)
    chain.push_back(random_fluxes(random, mesh, map, number, sum));
  for (int k = pick(random, 1, 2); k > 0; --k)
    chain.push_back(random_update(random, mesh, map.to, sum));
  step.end = chain.size();
  steps.push_back(step);
}

/// Whether the extents let a half step become a unit (sched/fuse.cpp).
bool can_gather(const HalfStep& step, const std::vector<Level>& extent) {
  const Level rows = extent[step.end - 1], adds = extent[step.begin];
  if (rows == core::no_level || adds == core::no_level) return false;
  for (std::size_t l = step.begin; l < step.end; ++l)
    if (extent[l] != (l < step.begin + step.gathered ? adds : rows)) return false;
  return adds == core::need_exec(rows) && core::cov(adds) == rows;
}

std::vector<LoopUnit> units_of(const ModelChain& chain, const std::vector<HalfStep>& steps,
                               const std::vector<Level>& extent, int& gathering) {
  std::vector<LoopUnit> units;
  auto step = steps.begin();
  for (std::size_t l = 0; l < chain.size(); ++l) {
    while (step != steps.end() && step->begin < l) ++step;
    if (step != steps.end() && step->begin == l && can_gather(*step, extent)) {
      LoopUnit& unit = units.emplace_back(LoopUnit{{}, step->gathered});
      for (; l < step->end; ++l) unit.loops.push_back(l);
      --l;
      ++gathering;
    } else if (extent[l] != core::no_level) {
      units.push_back({{l}, 0});
    }
  }
  return units;
}

/// Runs up to three chains in a row; false if anything is wrong.
bool chains_are_right(const ModelMesh& mesh, Random& random, int& gathering, int& overlapping) {
  if (mesh.maps.empty()) return true;
  Values expected = random_values(random, mesh);
  ModelRanks ranks(mesh, expected, random);
  for (int left = pick(random, 1, 3); left > 0; --left) {
    ModelChain chain;
    std::vector<HalfStep> steps;
    for (int k = pick(random, 1, 3); k > 0; --k) {
      if (chance(random, 40)) chain.push_back(random_loop(random, mesh));
      add_half_step(random, mesh, chain, steps);
    }
    if (chain.empty()) continue;
    const std::vector<core::ChainLoop> loops = descriptors(mesh, chain);
    const std::vector<Level> wanted(mesh.dat_sets.size(), 0);
    const core::ChainLevels plan = sched::analyse_chain(loops, ranks.valid(), wanted);
    const std::vector<LoopUnit> units = units_of(chain, steps, plan.extent, gathering);
    const std::vector<Level> interior =
        sched::chain_interior(loops, {plan.extent, plan.need}, ranks.valid(), units);
    for (std::size_t u = 0; u < units.size(); ++u)
      if (units[u].gathered > 0 && interior[u] != core::no_level &&
          interior[u] < plan.extent[units[u].loops.back()])
        ++overlapping;
    const auto reductions = run_sequentially(mesh, chain, expected);
    if (ranks.run(chain, plan, units, interior) != reductions || ranks.wrong_values(expected) > 0)
      return false;
  }
  return true;
}

void check_chains(ModelMesh (*make_mesh)(Random&), unsigned seeds) {
  int gathering = 0, overlapping = 0;
  check_meshes(make_mesh, seeds, [&](const ModelMesh& mesh, Random& random) {
    return chains_are_right(mesh, random, gathering, overlapping);
  });
  EXPECT_GT(gathering, 500);
  EXPECT_GT(overlapping, 100);
  std::cout << "checked " << gathering << " half steps that gather, " << overlapping
            << " of them in two phases, seeds 1 to " << seeds << "\n";
}

TEST(UnitProperty, HalfStepsThatGatherGiveTheValuesOfSequentialLoops) {
  check_chains(&random_mesh, 2000);
}

TEST(UnitProperty, HalfStepsThatGatherThroughLocalMapsDoSoToo) {
  check_chains(&random_mesh_with_local_maps, 2000);
}

}  // namespace
}  // namespace op2::test
