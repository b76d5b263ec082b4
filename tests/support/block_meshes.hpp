// SPDX-License-Identifier: BSD-3-Clause
// Meshes in blocks. A whole mesh is written down as one rank holds it; ranks take their shares.
#pragma once

#include <comm/partition/block_mesh.hpp>

namespace op2::test {

inline comm::Blocks even_blocks(comm::GlobalId size, int ranks) {
  comm::Blocks blocks;
  for (int rank = 0; rank <= ranks; ++rank) blocks.begin.push_back(size * rank / ranks);
  return blocks;
}

inline comm::Blocks all_on_the_last(comm::GlobalId size, int ranks) {
  comm::Blocks blocks{std::vector<comm::GlobalId>(static_cast<std::size_t>(ranks) + 1)};
  blocks.begin.back() = size;
  return blocks;
}

/// What one of several ranks holds of a mesh that is whole on one.
inline comm::BlockMesh share_of(const comm::BlockMesh& whole, int ranks, int rank) {
  comm::BlockMesh share;
  for (const comm::Blocks& set : whole.sets) share.sets.push_back(even_blocks(set.size(), ranks));
  for (const comm::BlockMap& map : whole.maps) {
    const comm::Blocks& set = share.sets[static_cast<std::size_t>(map.from)];
    const auto r = static_cast<std::size_t>(rank);
    const auto begin = map.targets.begin();
    share.maps.push_back(
        {map.from,
         map.to,
         map.arity,
         {begin + set.begin[r] * map.arity, begin + set.begin[r + 1] * map.arity}});
  }
  return share;
}

/// The sets and maps of Airfoil on columns x rows quadrilaterals: sets nodes, edges (inner ones),
/// bedges, cells; maps edge to nodes, edge to cells, bedge to nodes, bedge to cell, cell to nodes.
inline comm::BlockMesh grid_mesh(comm::GlobalId columns, comm::GlobalId rows) {
  using comm::GlobalId;
  constexpr int nodes = 0, edges = 1, bedges = 2, cells = 3;
  comm::BlockMesh mesh{
      {{{0, (columns + 1) * (rows + 1)}}, {{0, 0}}, {{0, 0}}, {{0, columns * rows}}},
      {{edges, nodes, 2, {}},
       {edges, cells, 2, {}},
       {bedges, nodes, 2, {}},
       {bedges, cells, 1, {}},
       {cells, nodes, 4, {}}}};
  const auto node = [&](GlobalId i, GlobalId j) { return i * (rows + 1) + j; };
  const auto cell = [&](GlobalId i, GlobalId j) { return i * rows + j; };
  const auto append = [&](std::size_t map, std::initializer_list<GlobalId> targets) {
    mesh.maps[map].targets.insert(mesh.maps[map].targets.end(), targets);
  };
  // An edge between two nodes and the cells on its sides, of which one may lie outside.
  const auto edge = [&](GlobalId a, GlobalId b, bool left, GlobalId l, bool right, GlobalId r) {
    const bool inner = left && right;
    append(inner ? 0 : 2, {a, b});
    if (inner) append(1, {l, r});
    if (!inner) append(3, {left ? l : r});
    ++mesh.sets[inner ? edges : bedges].begin[1];
  };
  for (GlobalId i = 0; i <= columns; ++i)
    for (GlobalId j = 0; j <= rows; ++j) {
      if (j < rows)
        edge(node(i, j), node(i, j + 1), i > 0, cell(i - 1, j), i < columns, cell(i, j));
      if (i < columns)
        edge(node(i, j), node(i + 1, j), j > 0, cell(i, j - 1), j < rows, cell(i, j));
      if (i < columns && j < rows)
        append(4, {node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)});
    }
  return mesh;
}

}  // namespace op2::test
