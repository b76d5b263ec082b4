// SPDX-License-Identifier: BSD-3-Clause
// A cube of nodes as an unstructured mesh: edges along the three axes, pairs of nodes on the two
// faces that x connects periodically, nodes on the four other faces, and those on one line where
// two of these meet.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace hydra_chains {

enum class Numbering {
  planes,  ///< x fastest, z slowest
  random   ///< a permutation of it, the same in every run
};

struct Cube {
  int width;  ///< nodes along each direction, at least 2
  Numbering numbering;

  std::int64_t nodes() const { return std::int64_t{width} * width * width; }
};

/// The block of one rank: nodes number*rank/ranks .. number*(rank+1)/ranks of the global order, and
/// what begins at them, so that the blocks of any number of ranks are the same mesh. Node numbers
/// are global.
struct Block {
  std::vector<double> x;        ///< coordinates in [0, 1], shape [nodes x 3]
  std::vector<int> box;         ///< the rank whose box contains the node, shape [nodes]
  std::vector<int> edge_nodes;  ///< shape [edges x 2]
  std::vector<double> area;     ///< of the face between the nodes of an edge, shape [edges x 3]
  std::vector<int> pair_nodes;  ///< low x first, shape [pairs x 2]
  std::vector<double> weight;   ///< of a pair, shape [pairs]
  std::vector<int> wall_node;   ///< of each element of the boundary, shape [walls]
  std::vector<double> kind;     ///< shape [walls]
  std::vector<int> axis_node;   ///< of each element of the line, shape [axis]
};

/// @param rank  of `ranks`, which also is the number of boxes
Block make_block(const Cube& cube, int rank, int ranks);

/// Boxes along x, y and z whose product is `ranks`: its prime factors, the largest first, each to
/// the direction with the fewest boxes so far.
std::array<int, 3> boxes_for(int ranks);

}  // namespace hydra_chains
