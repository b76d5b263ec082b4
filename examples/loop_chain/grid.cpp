// SPDX-License-Identifier: BSD-3-Clause
#include "grid.hpp"

#include <cmath>
#include <numbers>

namespace loop_chain {

namespace {

using NodePosition = std::array<int, 3>;  ///< index of a node along each direction

/// Small enough for all eigenvalues to be below 2.
constexpr double weights[kinds][3] = {{0.12, 0.10, 0.08}, {0.06, 0.09, 0.11}};

/// Waves of about three edges, so that neighbours differ much.
int wave_number(const Grid& grid, int component) {
  return (grid.width() / 3 + component) % grid.width();
}

double angle(const Grid& grid, int component) {
  return std::numbers::pi * wave_number(grid, component) / grid.width();
}

NodePosition position_of(const Grid& grid, std::int64_t node) {
  NodePosition position{};
  for (int d = 0; d < grid.dim; ++d) {
    position[d] = static_cast<int>(node % grid.width());
    node /= grid.width();
  }
  return position;
}

void add_node(Block& block, const Grid& grid, const NodePosition& position) {
  for (int d = 0; d < grid.dim; ++d)
    block.x.push_back(static_cast<double>(position[d]) / grid.cells);
  for (int c = 0; c < components; ++c) {
    double value = 1;
    for (int d = 0; d < grid.dim; ++d) value *= std::cos(angle(grid, c) * (position[d] + 0.5));
    block.mode.push_back(value);
  }
}

void add_edges(Block& block, const Grid& grid, std::int64_t node, const NodePosition& position) {
  std::int64_t stride = 1;
  for (int d = 0; d < grid.dim; ++d, stride *= grid.width()) {
    if (position[d] == grid.cells) continue;
    block.edge_nodes.push_back(static_cast<int>(node));
    block.edge_nodes.push_back(static_cast<int>(node + stride));
    for (const auto& of_kind : weights) block.weight.push_back(of_kind[d]);
  }
}

}  // namespace

std::int64_t Grid::nodes() const {
  std::int64_t product = 1;
  for (int d = 0; d < dim; ++d) product *= width();
  return product;
}

std::int64_t Grid::edges() const {
  return dim * (nodes() / width()) * cells;
}

Block make_block(const Grid& grid, int rank, int ranks) {
  Block block;
  const std::int64_t end = grid.nodes() * (rank + 1) / ranks;
  for (std::int64_t node = grid.nodes() * rank / ranks; node < end; ++node) {
    const NodePosition position = position_of(grid, node);
    add_node(block, grid, position);
    add_edges(block, grid, node, position);
  }
  return block;
}

State eigenvalues(const Grid& grid, int kind) {
  State values{};
  for (int c = 0; c < components; ++c) {
    for (int d = 0; d < grid.dim; ++d)
      values[c] += weights[kind][d] * (2 - 2 * std::cos(angle(grid, c)));
  }
  return values;
}

}  // namespace loop_chain
