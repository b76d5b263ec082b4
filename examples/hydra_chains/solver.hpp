// SPDX-License-Identifier: BSD-3-Clause
// The application as an OP2 program: sets, maps and data in the shape of a production flow solver.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <op2/op2.hpp>

#include "mesh.hpp"

namespace hydra_chains {

struct Solver {
  op_set nodes, edges, pedges, bnd, cbnd;  ///< pedges: periodic pairs; bnd, cbnd: one node each
  op_set ranks;                            ///< one element on each rank, see counts.hpp
  op_map edge_nodes, pair_nodes, wall_node, axis_node;

  op_dat x, xp;        ///< coordinates; those that a loop moves
  op_dat area;         ///< of edges
  op_dat weight;       ///< of pairs
  op_dat kind;         ///< of the boundary
  op_dat qo, q9, vol;  ///< 6, 9 and 1 values per node
  op_dat q, qp, ql;    ///< state, changed state, gradients: 6, 6, 18
  op_dat qmu, qrg;     ///< 1, 6
  op_dat res, vres;    ///< residuals: 6, 6
  op_dat jac, jaca;    ///< blocks of 5 x 5, 1
  op_global norm;      ///< sum of squares of the changes

  /// All that loops modify.
  std::vector<op_dat> modified() const {
    return {xp, qo, q9, vol, q, qp, ql, qmu, qrg, res, vres, jac, jaca};
  }
};

/// Library and routine for op_partition; "boxes": cuboids of equal numbers of planes.
using Partitioner = std::array<std::string, 2>;

/// Which maps lead from bnd and cbnd.
enum class WallMaps {
  one,  ///< so that the library finds out that each element is on the rank of its node
  two   ///< equal ones, which are to the library any maps
};

/// Declares and partitions. No rank ever holds the whole mesh. Collective.
Solver declare_solver(const Cube& cube, const Partitioner& partitioner,
                      WallMaps walls = WallMaps::one);

}  // namespace hydra_chains
