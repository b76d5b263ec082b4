// SPDX-License-Identifier: BSD-3-Clause
// Chains over a cube of nodes whose faces in x are joined by periodic edges, on 64 ranks.
#include <sched/analysis/slice.hpp>

#include <array>
#include <iostream>
#include <mutex>

#include <gmock/gmock.h>

#include <comm/halo/halo_exchange.hpp>
#include <support/fake_communicator.hpp>
#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

constexpr int n = 16;     ///< nodes in a direction
constexpr int parts = 4;  ///< of them, for a rank each
constexpr int ranks = parts * parts * parts;

/// Its entries as the first rank declares them; the others declare nothing.
struct CubeMaps {
  std::vector<int> edges, pairs;  ///< two nodes each
  std::vector<std::int32_t> node_owner, edge_owner, pair_owner;

  CubeMaps() {
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          node_owner.push_back(owner_at(i, j, k));
          add_edge(i, j, k, i + 1, j, k);
          add_edge(i, j, k, i, j + 1, k);
          add_edge(i, j, k, i, j, k + 1);
          if (i != 0) continue;
          pairs.insert(pairs.end(), {node(0, j, k), node(n - 1, j, k)});
          pair_owner.push_back(owner_at(0, j, k));
        }
  }

 private:
  static int node(int i, int j, int k) { return (k * n + j) * n + i; }
  static std::int32_t owner_at(int i, int j, int k) {
    constexpr int side = n / parts;
    return (k / side * parts + j / side) * parts + i / side;
  }
  void add_edge(int i, int j, int k, int i2, int j2, int k2) {
    if (i2 == n || j2 == n || k2 == n) return;
    edges.insert(edges.end(), {node(i, j, k), node(i2, j2, k2)});
    edge_owner.push_back(owner_at(i, j, k));
  }
};

/// The view of one rank.
struct Cube {
  explicit Cube(comm::Communicator& communicator) : rows(mesh, communicator) {
    const CubeMaps maps;
    const bool root = communicator.is_root();
    const auto add_set = [&](std::size_t size, const char* name) {
      const auto declared = static_cast<std::int32_t>(root ? size : 0);
      return &mesh.add_set(rows.block_of(declared, name), name);
    };
    nodes = add_set(maps.node_owner.size(), "nodes");
    edges = add_set(maps.edge_owner.size(), "edges");
    pedges = add_set(maps.pair_owner.size(), "pedges");
    ends = &mesh.add_map(edges, nodes, 2, maps.edges.data(), "ends");
    pair = &mesh.add_map(pedges, nodes, 2, maps.pairs.data(), "pair");
    vol = &mesh.add_dat(nodes, 1, Type::f64, nullptr, "vol", false);
    q = &mesh.add_dat(nodes, 9, Type::f64, nullptr, "q", false);
    std::vector<comm::Owners> owners(3);
    if (root) owners = {maps.node_owner, maps.edge_owner, maps.pair_owner};
    rows.distribute(rows.declared_mesh(), std::move(owners));
  }

  void both_ends(core::Set& set, core::Map& map, core::Dat& dat) {
    test::queue_loop(queue, set, op_arg_dat(&dat, 0, &map, OP_RW),
                     op_arg_dat(&dat, 1, &map, OP_RW));
  }
  void limit() {
    test::queue_loop(queue, *edges, op_arg_dat(vol, 0, ends, OP_READ),
                     op_arg_dat(vol, 1, ends, OP_READ), op_arg_dat(q, 0, ends, OP_INC),
                     op_arg_dat(q, 1, ends, OP_INC));
  }

  core::Mesh mesh;
  core::Queue queue;
  comm::DistributedMesh rows;
  core::Set *nodes, *edges, *pedges;
  core::Map *ends, *pair;
  core::Dat *vol, *q;
};

/// Cells in a row, edges between them.
struct Line {
  explicit Line(comm::Communicator& communicator) : rows(mesh, communicator) {
    constexpr int mine = 6;
    const int first = mine * communicator.rank(), all = mine * communicator.size();
    const int last = std::min(first + mine, all - 1);
    cells = &mesh.add_set(rows.block_of(mine, "cells"), "cells");
    edges = &mesh.add_set(rows.block_of(last - first, "edges"), "edges");
    std::vector<int> entries;
    for (int e = first; e < last; ++e) entries.insert(entries.end(), {e, e + 1});
    ends = &mesh.add_map(edges, cells, 2, entries.data(), "ends");
    q = &mesh.add_dat(cells, 1, Type::f64, nullptr, "q", false);
    res = &mesh.add_dat(cells, 1, Type::f64, nullptr, "res", false);
    rows.ensure_rows(0);
  }

  core::Mesh mesh;
  core::Queue queue;
  comm::DistributedMesh rows;
  core::Set *cells, *edges;
  core::Map* ends;
  core::Dat *q, *res;
};

/// What all ranks have found.
struct Found {
  std::mutex mutex;
  std::array<Analysis, ranks> levels, slices;
  int ranks_with_two_layers = 0;  ///< at most, of edges
  std::int64_t edges = 0, edges_of_levels = 0, bytes = 0, bytes_of_levels = 0;
};

std::int64_t bytes_of(const comm::DistributedMesh& rows, const Analysis& analysis) {
  return static_cast<std::int64_t>(
      halo_messages(rows.halo_plan(), analysis.chains[0].exchanged, core::Grouping::grouped).bytes);
}

/// Two limiters between periodic edges, which keep both sides equal.
void find_period(comm::Communicator& communicator, Found& found) {
  Cube cube(communicator);
  cube.both_ends(*cube.pedges, *cube.pair, *cube.vol);
  cube.limit();
  cube.both_ends(*cube.pedges, *cube.pair, *cube.q);
  cube.limit();
  cube.both_ends(*cube.pedges, *cube.pair, *cube.q);
  cube.both_ends(*cube.pedges, *cube.pair, *cube.vol);
  const std::vector<core::Level> valid(2, 0);
  const auto cut = cut_chains(cube.queue);
  Analysis levels = analyse(cube.queue, cut, valid, {});
  cube.rows.ensure_rows(levels.rows);
  Analysis slices = slice(cube.queue, cut, valid, {}, {}, cube.rows);

  const std::scoped_lock lock(found.mutex);
  bool two = true;
  for (const std::size_t loop : {std::size_t{1}, std::size_t{3}}) {
    found.edges_of_levels += cube.edges->within(levels.loops[loop].extent);
    const IndexRanges& rows = slices.slices[static_cast<std::size_t>(slices.loops[loop].slice)];
    for (const IndexRange& range : rows) found.edges += range.size();
    two = two && rows.back().end <= cube.edges->within(3);
  }
  found.ranks_with_two_layers += two ? 1 : 0;
  found.bytes += bytes_of(cube.rows, slices);
  found.bytes_of_levels += bytes_of(cube.rows, levels);
  const auto rank = static_cast<std::size_t>(communicator.rank());
  found.levels[rank] = std::move(levels);
  found.slices[rank] = std::move(slices);
}

TEST(Slice, EdgesOfAPeriodicChainNeedTwoLayersWhereLevelsNeedThree) {
  Found found;
  comm::run_fake_ranks(ranks, [&](comm::Communicator& rank) { find_period(rank, found); });
  EXPECT_EQ(found.levels[0].loops[1].extent, 5);  // three layers
  EXPECT_GE(100 * found.ranks_with_two_layers, 95 * ranks);
  EXPECT_LT(2 * found.bytes, found.bytes_of_levels);
  for (const Analysis& slices : found.slices) {
    EXPECT_EQ(slices.loops, found.slices[0].loops);
    EXPECT_EQ(slices.valid_after, (std::vector<core::Level>{0, 0}));
    EXPECT_NE(slices.chains[0].exchanged[0].lists, nullptr);
  }
  std::cout << "edges of a periodic chain within two layers on " << found.ranks_with_two_layers
            << " of " << ranks << " ranks; " << found.edges << " instead of "
            << found.edges_of_levels << " iterations over edges, " << found.bytes << " instead of "
            << found.bytes_of_levels << " bytes\n";
}

TEST(Slice, ChainsThatNeedTheirLevelsAreNotSliced) {
  comm::run_fake_ranks(8, [](comm::Communicator& communicator) {
    Line line(communicator);
    for (int step = 0; step < 2; ++step) {
      test::queue_loop(line.queue, *line.edges, op_arg_dat(line.q, 0, line.ends, OP_READ),
                       op_arg_dat(line.q, 1, line.ends, OP_READ),
                       op_arg_dat(line.res, 0, line.ends, OP_INC),
                       op_arg_dat(line.res, 1, line.ends, OP_INC));
      test::queue_loop(line.queue, *line.cells, op_arg_dat(line.res, OP_RW),
                       op_arg_dat(line.q, OP_RW));
    }
    const std::vector<core::Level> valid(2, 0);
    const auto cut = cut_chains(line.queue);
    const Analysis levels = analyse(line.queue, cut, valid, {});
    line.rows.ensure_rows(levels.rows);
    const Analysis slices = slice(line.queue, cut, valid, {}, {}, line.rows);
    EXPECT_EQ(slices.loops, levels.loops);
    EXPECT_EQ(slices.valid_after, levels.valid_after);
    EXPECT_TRUE(slices.slices.empty());
    for (const comm::DatLayers& layers : slices.chains[0].exchanged)
      EXPECT_EQ(layers.lists, nullptr);
  });
}

}  // namespace
}  // namespace op2::sched
