// SPDX-License-Identifier: BSD-3-Clause
// The mesh of the Airfoil example: quadrilaterals around a NACA0012 profile, as an unstructured
// mesh.
#pragma once

#include <string>
#include <vector>

namespace airfoil {

enum Boundary : int { wall = 1, far_field = 2 };

/// All indices count from 0.
struct Mesh {
  std::vector<double> x;         ///< coordinates, [nodes x 2]
  std::vector<int> cell_nodes;   ///< counter-clockwise, [cells x 4]
  std::vector<int> edge_nodes;   ///< of edges between two cells, [edges x 2]
  std::vector<int> edge_cells;   ///< [edges x 2]
  std::vector<int> bedge_nodes;  ///< of edges on the boundary, [bedges x 2]
  std::vector<int> bedge_cell;   ///< [bedges]
  std::vector<int> bound;        ///< a Boundary for each boundary edge, [bedges]

  int nodes() const { return static_cast<int>(x.size() / 2); }
  int cells() const { return static_cast<int>(cell_nodes.size() / 4); }
  int edges() const { return static_cast<int>(edge_cells.size() / 2); }
  int bedges() const { return static_cast<int>(bedge_cell.size()); }
  bool operator==(const Mesh&) const = default;
};

/// A C-grid: 3 `i_cells` cells along the wake and around the profile (a third each), `j_cells`
/// normal to it. Coordinates are rounded to six decimals, so that the text format represents them
/// exactly.
/// @throws std::invalid_argument unless i_cells, j_cells >= 2 and all sizes fit into an int
Mesh make_c_grid(int i_cells, int j_cells);

/// What rank `rank` of `ranks` declares: one block of each set, in the order of the ranks. Indices
/// are global.
Mesh block_of(const Mesh& whole, int rank, int ranks);

/// The double nearest to the six decimals that printf("%f") shows.
double rounded_to_six_decimals(double value);

/// Text: a line "nodes cells edges bedges", then a line for each node (x y), cell (4 nodes), edge
/// (2 nodes, 2 cells) and boundary edge (2 nodes, cell, bound).
/// @throws std::runtime_error with the file, and what is wrong with it
Mesh read_mesh(const std::string& path);
void write_mesh(const Mesh& mesh, const std::string& path);

}  // namespace airfoil
