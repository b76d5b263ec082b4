// SPDX-License-Identifier: BSD-3-Clause
// The analysis against the meaning of loops: random chains in a row on random distributed meshes
// give the values of sequential loops, also where loops run in units that gather, or as far as
// their neighbours.
#include <sched/analysis/chain_analysis.hpp>

#include <algorithm>
#include <iostream>

#include <support/check_meshes.hpp>

namespace op2::test {
namespace {

using core::Level;
using sched::LoopGroup;

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

/// Whether the extents let a half step become a unit (sched/analysis/fuse.cpp).
bool can_gather(const HalfStep& step, const std::vector<Level>& extent) {
  const Level rows = extent[step.end - 1], adds = extent[step.begin];
  if (rows == core::no_level || adds == core::no_level) return false;
  for (std::size_t l = step.begin; l < step.end; ++l)
    if (extent[l] != (l < step.begin + step.gathered ? adds : rows)) return false;
  return adds == core::need_exec(rows) && core::cov(adds) == rows;
}

std::vector<LoopGroup> units_of(const ModelChain& chain, const std::vector<HalfStep>& steps,
                                const std::vector<Level>& extent, int& gathering) {
  std::vector<LoopGroup> units;
  auto step = steps.begin();
  for (std::size_t l = 0; l < chain.size(); ++l) {
    while (step != steps.end() && step->begin < l) ++step;
    if (step != steps.end() && step->begin == l && can_gather(*step, extent)) {
      LoopGroup& unit = units.emplace_back(LoopGroup{{}, step->gathered});
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
    const std::vector<LoopGroup> units = units_of(chain, steps, plan.extent, gathering);
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

void check_gathering_chains(ModelMesh (*make_mesh)(Random&), unsigned seeds) {
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
  check_gathering_chains(&random_mesh, 2000);
}

TEST(UnitProperty, HalfStepsThatGatherThroughLocalMapsDoSoToo) {
  check_gathering_chains(&random_mesh_with_local_maps, 2000);
}

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
  plan.extent = std::move(extent);
  plan.interior = sched::interiors_of_loops(chain, plan, valid);
  plan.valid = sched::validity_after(chain, plan, valid);
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

void check_widened_chains(ModelMesh (*make_mesh)(Random&), unsigned seeds) {
  int widened = 0;
  check_meshes(make_mesh, seeds, [&](const ModelMesh& mesh, Random& random) {
    return chains_are_right(mesh, random, widened);
  });
  EXPECT_GT(widened, 150);
  std::cout << "checked " << widened << " loops that run further than needed, seeds 1 to " << seeds
            << "\n";
}

TEST(WidenProperty, LoopsThatRunFurtherGiveTheValuesOfSequentialLoops) {
  check_widened_chains(&random_mesh, 2000);
}

TEST(WidenProperty, WithLocalMapsTheyDoSoToo) {
  check_widened_chains(&random_mesh_with_local_maps, 2000);
}

}  // namespace
}  // namespace op2::test
