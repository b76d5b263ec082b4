// SPDX-License-Identifier: BSD-3-Clause
#include "solver.hpp"

#include <cmath>

namespace hydra_chains {

namespace {

/// Smooth values at the nodes of a block, shape [nodes x dim].
std::vector<double> smooth(const Block& block, int dim) {
  std::vector<double> values;
  for (std::size_t node = 0; node < block.x.size(); node += 3)
    for (int c = 0; c < dim; ++c)
      values.push_back(1 + 0.5 * std::sin(block.x[node] + 2 * block.x[node + 1] + c) *
                               std::cos(3 * block.x[node + 2] - c));
  return values;
}

void declare_sets(Solver& s, const Block& block, WallMaps walls) {
  const auto size = [](const auto& rows, int dim) { return static_cast<int>(rows.size()) / dim; };
  s.nodes = op_decl_set(size(block.box, 1), "nodes");
  s.edges = op_decl_set(size(block.edge_nodes, 2), "edges");
  s.pedges = op_decl_set(size(block.pair_nodes, 2), "pedges");
  s.bnd = op_decl_set(size(block.wall_node, 1), "bnd");
  s.cbnd = op_decl_set(size(block.axis_node, 1), "cbnd");
  s.ranks = op_decl_set(1, "ranks");
  s.edge_nodes = op_decl_map(s.edges, s.nodes, 2, block.edge_nodes, "edge_nodes");
  s.pair_nodes = op_decl_map(s.pedges, s.nodes, 2, block.pair_nodes, "pair_nodes");
  s.wall_node = op_decl_map(s.bnd, s.nodes, 1, block.wall_node, "wall_node");
  s.axis_node = op_decl_map(s.cbnd, s.nodes, 1, block.axis_node, "axis_node");
  if (walls == WallMaps::one) return;
  op_decl_map(s.bnd, s.nodes, 1, block.wall_node, "wall_node_again");
  op_decl_map(s.cbnd, s.nodes, 1, block.axis_node, "axis_node_again");
}

void declare_dats(Solver& s, const Block& block) {
  const auto on_nodes = [&](int dim, const char* name) {
    return op_decl_dat(s.nodes, dim, smooth(block, dim), name);
  };
  s.x = op_decl_dat(s.nodes, 3, block.x, "x");
  s.xp = op_decl_dat(s.nodes, 3, block.x, "xp");
  s.area = op_decl_dat(s.edges, 3, block.area, "area");
  s.weight = op_decl_dat(s.pedges, 1, block.weight, "weight");
  s.kind = op_decl_dat(s.bnd, 1, block.kind, "kind");
  s.qo = on_nodes(6, "qo");
  s.q9 = on_nodes(9, "q9");
  s.vol = on_nodes(1, "vol");
  s.q = on_nodes(6, "q");
  s.qp = on_nodes(6, "qp");
  s.ql = on_nodes(18, "ql");
  s.qmu = on_nodes(1, "qmu");
  s.qrg = on_nodes(6, "qrg");
  s.res = on_nodes(6, "res");
  s.vres = on_nodes(6, "vres");
  s.jac = on_nodes(25, "jac");
  s.jaca = on_nodes(1, "jaca");
  const double zero = 0;
  s.norm = op_decl_global(1, &zero, "norm");
}

}  // namespace

Solver declare_solver(const Cube& cube, const Partitioner& partitioner, WallMaps walls) {
  const Block block = make_block(cube, op_rank(), op_ranks());
  Solver solver{};
  declare_sets(solver, block, walls);
  declare_dats(solver, block);
  if (partitioner[0] == "boxes") {
    const op_dat box = op_decl_dat(solver.nodes, 1, block.box, "box");
    op_partition("EXTERNAL", "", solver.nodes, solver.edge_nodes, box);
  } else {
    op_partition(partitioner[0].c_str(), partitioner[1].c_str(), solver.nodes, solver.edge_nodes,
                 solver.x);
  }
  return solver;
}

}  // namespace hydra_chains
