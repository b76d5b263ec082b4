// SPDX-License-Identifier: BSD-3-Clause
// An order of the vertices of a graph in which neighbours lie together. Local.
#pragma once

#include <cstdint>
#include <vector>

namespace op2::comm {

/// A symmetric graph in compressed rows: vertex v is adjacent to `neighbours[first[v]]` up to
/// `neighbours[first[v + 1]]`, without repetition and without itself.
struct LocalGraph {
  std::vector<std::int32_t> first, neighbours;
};

/// The vertex at each position; empty in a build without Scotch. Deterministic.
/// @throws Error internal (the library reports a fault)
std::vector<std::int32_t> order_of_small_bandwidth(const LocalGraph& graph);

}  // namespace op2::comm
