// SPDX-License-Identifier: BSD-3-Clause
// The loops as an OP2 program: update and edge_flux alternate.
#pragma once

#include <op2/op2.hpp>

#include "grid.hpp"

namespace loop_chain {

struct Mesh {
  op_set nodes, edges;
  op_map edge_nodes;
  op_dat x, mode, weight;
  op_dat state;          ///< what update starts from
  op_dat first, second;  ///< what update increments and edge_flux reads
  op_dat flux;           ///< what edge_flux increments
};

/// Declares this rank's block; no rank ever holds the whole mesh.
Mesh declare_mesh(const Grid& grid);

/// Gives all nodes new values. A separate chain: as the beginning of the next one it would be
/// executed on halo nodes too, whose values would then never be sent.
void prepare_inputs(const Mesh& mesh, double amplitude);

/// Queues `pairs` times update and edge_flux. Without feedback, update reads nothing that the chain
/// changes, and two layers of halo are enough for any number of pairs; with it, every pair needs
/// two more.
void queue_chain(const Mesh& mesh, int pairs, bool feedback);

/// Flux over mode after a chain that began with amplitude 1.
State expected_flux(const Grid& grid, int pairs, bool feedback);

struct Comparison {
  double deviation = 0;       ///< largest difference from the expected value
  double sum_of_squares = 0;  ///< of the flux
};
Comparison compare_flux(const Mesh& mesh, const State& expected);

}  // namespace loop_chain
