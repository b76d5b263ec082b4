// SPDX-License-Identifier: BSD-3-Clause
// The halo depths of Algorithm 3 of "Communication-Avoiding Optimizations for Large-Scale
// Unstructured-Mesh Applications with OP2" (Ekanayake, Reguly, Luporini, Mudalige, ICPP 2023)
// against the levels of this library, by the values that owned rows have after a chain.
// docs/design/halo-algebra.md has the table.
#include <sched/analysis/chain_analysis.hpp>

#include <algorithm>
#include <iostream>
#include <ostream>

#include <gtest/gtest.h>

#include <support/airfoil_chain.hpp>
#include <support/chain_builder.hpp>
#include <support/random_chains.hpp>

namespace op2::test {
namespace {

using core::Level;

/// What Algorithm 3 finds for one dat, last loop first: layers on which each loop must execute.
void deepen_for(int dat, const Chain& chain, std::vector<int>& layers) {
  int depth = 0;
  bool read_later = false;
  for (std::size_t l = chain.size(); l-- > 0;) {
    bool modified = false, read = false, indirect = false;
    for (const core::ChainArg& arg : chain[l].args) {
      if (arg.dat != dat) continue;
      modified = modified || arg.access != OP_READ;
      read = read || arg.access == OP_READ || arg.access == OP_RW;
      indirect = indirect || arg.map != direct;
    }
    if (read_later && modified) {
      layers[l] = std::max(layers[l], depth + 1);
      depth = 0;
      read_later = false;
    } else if (read && indirect) {
      layers[l] = std::max(layers[l], ++depth);
      read_later = true;
    } else if (read) {
      depth = 0;
      read_later = false;
    }
  }
}

/// Every loop runs on one layer at least, and on as many as the most demanding dat wants.
std::vector<int> published_layers(const Chain& chain, int dats) {
  std::vector<int> layers(chain.size(), 1);
  for (int dat = 0; dat < dats; ++dat) deepen_for(dat, chain, layers);
  return layers;
}

/// Layers as levels, in two readings: up to the executable rows of a layer, or to the readable too.
enum class Reading { executable, readable };

/// All dats are exchanged so deep beforehand that no row which a loop reads is missing.
core::ChainLevels published_levels(const std::vector<int>& layers, int dats, Reading reading) {
  core::ChainLevels levels{
      {}, {}, std::vector<Level>(layers.size(), core::no_level), std::vector<Level>(dats, 0), 0};
  for (const int layer : layers)
    levels.extent.push_back(2 * layer - (reading == Reading::executable ? 1 : 0));
  levels.rows = *std::max_element(levels.extent.begin(), levels.extent.end()) + 4;
  levels.need.assign(dats, levels.rows);
  return levels;
}

/// Owned values that are wrong after the chain ran as `levels` say, from clean owned rows.
int wrong_owned_values(const ModelMesh& mesh, const ModelChain& chain, core::ChainLevels levels) {
  Random random(1);
  Values expected = random_values(random, mesh);
  ModelRanks ranks(mesh, expected, random);
  levels.valid.assign(mesh.dat_sets.size(), 0);
  run_sequentially(mesh, chain, expected);
  ranks.run(chain, levels);
  return ranks.wrong_values(expected);
}

int wrong_as_published(const ModelMesh& mesh, const ModelChain& chain, Reading reading) {
  const int dats = static_cast<int>(mesh.dat_sets.size());
  const auto layers = published_layers(descriptors(mesh, chain), dats);
  return wrong_owned_values(mesh, chain, published_levels(layers, dats, reading));
}

int wrong_as_analysed(const ModelMesh& mesh, const ModelChain& chain) {
  const std::vector<Level> zeros(mesh.dat_sets.size(), 0);
  return wrong_owned_values(mesh, chain,
                            sched::analyse_chain(descriptors(mesh, chain), zeros, zeros));
}

enum Sets { node, edge, cell, bedge };

/// 16 x 16 quadrilaterals, a quadrant for each of 4 ranks. Edges go with their first cell, nodes
/// with the cell to their upper right, or the last one there is.
ModelMesh quadrants() {
  constexpr int n = 16;
  const auto cell_at = [](int i, int j) { return j * n + i; };
  const auto node_at = [](int i, int j) { return j * (n + 1) + i; };
  const auto rank_at = [](int i, int j) { return (i >= n / 2 ? 1 : 0) + (j >= n / 2 ? 2 : 0); };
  ModelMesh mesh{{},
                 {{edge, node, {}, false},
                  {edge, cell, {}, false},
                  {cell, node, {}, false},
                  {bedge, cell, {}, false},
                  {bedge, node, {}, false}},
                 {},
                 {{}, {}, {}, {}},
                 4};
  const auto add_edge = [&](int a, int b, int first, int second) {
    mesh.maps[e2n].targets.push_back({a, b});
    mesh.maps[e2c].targets.push_back({first, second});
    mesh.owner[edge].push_back(mesh.owner[cell][first]);
  };
  const auto add_bedge = [&](int a, int b, int inside) {
    mesh.maps[b2n].targets.push_back({a, b});
    mesh.maps[b2c].targets.push_back({inside});
    mesh.owner[bedge].push_back(mesh.owner[cell][inside]);
  };
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      mesh.owner[node].push_back(rank_at(std::min(i, n - 1), std::min(j, n - 1)));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      mesh.owner[cell].push_back(rank_at(i, j));
      mesh.maps[c2n].targets.push_back(
          {node_at(i, j), node_at(i + 1, j), node_at(i + 1, j + 1), node_at(i, j + 1)});
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i + 1 < n; ++i) {
      add_edge(node_at(i + 1, j), node_at(i + 1, j + 1), cell_at(i, j), cell_at(i + 1, j));
      add_edge(node_at(j, i + 1), node_at(j + 1, i + 1), cell_at(j, i), cell_at(j, i + 1));
    }
  for (int i = 0; i < n; ++i) {
    add_bedge(node_at(i, 0), node_at(i + 1, 0), cell_at(i, 0));
    add_bedge(node_at(i, n), node_at(i + 1, n), cell_at(i, n - 1));
  }
  for (const auto& owners : mesh.owner) mesh.set_sizes.push_back(static_cast<int>(owners.size()));
  return mesh;
}

/// The chain as loops over the mesh, with every column of each map; only OP_RW takes the first one
/// alone, because two iterations that read and write one row would depend on their order.
ModelChain on_mesh(const ModelMesh& mesh, const Chain& chain) {
  ModelChain loops;
  for (const core::ChainLoop& loop : chain) {
    const core::ChainArg& first = loop.args.front();
    const int set = first.map == direct ? mesh.dat_sets[first.dat] : mesh.maps[first.map].from;
    loops.push_back({set, {}, loops.size() + 1, loop.reduction});
    for (const core::ChainArg& arg : loop.args) {
      const bool alone = arg.map == direct || arg.access == OP_RW;
      const std::size_t columns = alone ? 1 : mesh.maps[arg.map].targets.front().size();
      for (int column = 0; column < static_cast<int>(columns); ++column)
        loops.back().args.push_back({arg.dat, arg.map, column, arg.access});
    }
  }
  return loops;
}

struct SmallChain {
  const char* name;
  std::vector<int> dat_sets;
  Chain chain;
  std::vector<int> layers;  ///< of Algorithm 3
  int wrong;                ///< owned values after it, in the executable reading
  int still_wrong;          ///< and in the readable one
};

void PrintTo(const SmallChain& c, std::ostream* out) {
  *out << c.name;
}

std::vector<SmallChain> small_chains() {
  return {
      {"ThroughDifferentDats",
       {node, node, node, node},
       chain_of(loop().read(0, e2n).inc(1, e2n), loop().read(1, e2n).inc(2, e2n),
                loop().read(2, e2n).inc(3, e2n)),
       {2, 2, 1},
       56,
       56},
      {"DirectReadBeforeAnIndirectOne",
       {node, node, node},
       chain_of(loop().inc(0, e2n), loop().read(0).write(1), loop().read(0, e2n).inc(2, e2n)),
       {1, 1, 1},
       56,
       56},
      {"ThroughADirectLoop",
       {node, node, node},
       chain_of(loop().inc(0, e2n), loop().read(0).write(1), loop().read(1, e2n).inc(2, e2n)),
       {1, 2, 1},
       56,
       56},
      {"ReadWriteThroughAMap",
       {node, node},
       chain_of(loop().inc(0, e2n), loop().rw(0, b2n), loop().read(0, e2n).inc(1, e2n)),
       {1, 2, 1},
       56,
       56},
      {"WriteThroughAMap",
       {cell, cell},
       chain_of(loop().inc(0, e2c), loop().write(0, b2c), loop().read(0, e2c).inc(1, e2c)),
       {1, 2, 1},
       56,
       56},
      {"Zeroing",
       {node, node},
       chain_of(loop().write(0), loop().inc(0, e2n), loop().read(0, e2n).inc(1, e2n)),
       {1, 2, 1},
       56,
       0},
      {"IndependentReaders",
       {node, node, node, node},
       chain_of(loop().inc(0, e2n), loop().read(0, e2n).inc(1, e2n),
                loop().read(0, e2n).inc(2, e2n), loop().read(0, e2n).inc(3, e2n)),
       {4, 3, 2, 1},
       0,
       0},
      {"FromOneMapToAnother",
       {node, cell, cell},
       chain_of(loop().inc(0, e2n), loop().read(0, e2n).inc(1, e2c),
                loop().read(1, e2c).inc(2, e2c)),
       {2, 2, 1},
       31,
       31},
      {"AirfoilStage", {cell, cell, cell, cell, node}, airfoil::step(1), {1, 3, 2, 1, 1}, 0, 0},
      {"AirfoilIteration",
       {cell, cell, cell, cell, node},
       airfoil::step(2),
       {1, 6, 5, 4, 1, 3, 2, 1, 1},
       62,
       0},
      {"TwoAirfoilIterations",
       {cell, cell, cell, cell, node},
       repeat(airfoil::step(2), 2),
       {1, 12, 11, 10, 1, 9, 8, 7, 1, 1, 6, 5, 4, 1, 3, 2, 1, 1},
       388,
       284},
      {"UpdateOfConstants",
       {node, node, edge},
       repeat(chain_of(loop().inc(0, e2n), loop().read(0, e2n).read(2).inc(1, e2n)), 4),
       {2, 1, 2, 1, 2, 1, 2, 1},
       0,
       0},
      {"Recurrence",
       {node, node, edge},
       repeat(chain_of(loop().inc(0, e2n).read(1, e2n), loop().read(0, e2n).read(2).inc(1, e2n)),
              4),
       {2, 2, 2, 2, 2, 2, 2, 1},
       488,
       488},
  };
}

class PublishedDepths : public testing::TestWithParam<SmallChain> {
 protected:
  PublishedDepths() : mesh_(quadrants()) {
    mesh_.dat_sets = GetParam().dat_sets;
    chain_ = on_mesh(mesh_, GetParam().chain);
  }
  ModelMesh mesh_;
  ModelChain chain_;
};

TEST_P(PublishedDepths, AreThoseOfTheTable) {
  const int dats = static_cast<int>(mesh_.dat_sets.size());
  EXPECT_EQ(published_layers(GetParam().chain, dats), GetParam().layers);
}

TEST_P(PublishedDepths, LeaveAsManyWrongValuesAsTheTableSays) {
  EXPECT_EQ(wrong_as_published(mesh_, chain_, Reading::executable), GetParam().wrong);
  EXPECT_EQ(wrong_as_published(mesh_, chain_, Reading::readable), GetParam().still_wrong);
}

TEST_P(PublishedDepths, AreReplacedByLevelsThatLeaveNone) {
  EXPECT_EQ(wrong_as_analysed(mesh_, chain_), 0);
}

INSTANTIATE_TEST_SUITE_P(SmallChains, PublishedDepths, testing::ValuesIn(small_chains()),
                         [](const auto& test) { return test.param.name; });

/// Whether maps are only read or incremented through.
bool is_plain(const ModelChain& chain) {
  for (const ModelLoop& loop : chain)
    for (const ModelArg& arg : loop.args)
      if (arg.map != direct && arg.access != OP_READ && arg.access != OP_INC) return false;
  return true;
}

TEST(PublishedDepthsOfRandomChains, AreOftenTooSmall) {
  int chains = 0, wrong = 0, still_wrong = 0, plain = 0, plain_still_wrong = 0;
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    Random random(seed);
    const ModelMesh mesh = random_mesh(random);
    if (mesh.ranks == 1) continue;
    const ModelChain chain = random_chain(random, mesh);
    const bool fails = wrong_as_published(mesh, chain, Reading::readable) > 0;
    ++chains;
    wrong += wrong_as_published(mesh, chain, Reading::executable) > 0;
    still_wrong += fails;
    plain += is_plain(chain);
    plain_still_wrong += is_plain(chain) && fails;
    EXPECT_EQ(wrong_as_analysed(mesh, chain), 0) << "seed " << seed;
  }
  EXPECT_GT(plain_still_wrong, 0);
  std::cout << "published depths: " << wrong << " of " << chains << " chains wrong, " << still_wrong
            << " in the readable reading; " << plain_still_wrong << " of " << plain
            << " where maps are only read or incremented through\n";
}

}  // namespace
}  // namespace op2::test
