// SPDX-License-Identifier: BSD-3-Clause
// A structured grid of quadrilaterals or hexahedra as an unstructured mesh: its nodes, and its
// edges in all directions; and eigenfunctions of the differences along edges, as functions on the
// nodes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace loop_chain {

inline constexpr int components = 4;  ///< values per node of every dat
inline constexpr int kinds = 2;       ///< weights per edge

/// One value for each component.
using State = std::array<double, components>;

struct Grid {
  int dim;    ///< 2 or 3
  int cells;  ///< along each direction

  int width() const { return cells + 1; }  ///< nodes along each direction
  std::int64_t nodes() const;
  std::int64_t edges() const;
};

/// The block of one rank: nodes number*rank/ranks .. number*(rank+1)/ranks of the global order, in
/// which the first direction is fastest, and the edges that begin at them.
struct Block {
  std::vector<double> x;        ///< coordinates, shape [nodes x dim]
  std::vector<double> mode;     ///< shape [nodes x components]
  std::vector<int> edge_nodes;  ///< global indices, shape [edges x 2]
  std::vector<double> weight;   ///< equal for all edges of one direction, shape [edges x kinds]

  int nodes() const { return static_cast<int>(mode.size()) / components; }
  int edges() const { return static_cast<int>(edge_nodes.size()) / 2; }
};

Block make_block(const Grid& grid, int rank, int ranks);

/// Let L u be, at each node, the sum over its edges of weight[kind] * (u here - u there). Then
/// L mode = eigenvalue * mode, component by component: on a path of N nodes, cos(pi m (i + 1/2) /
/// N) gives 2 - 2 cos(pi m / N) everywhere, its ends included.
State eigenvalues(const Grid& grid, int kind);

}  // namespace loop_chain
