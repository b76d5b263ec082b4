// SPDX-License-Identifier: BSD-3-Clause
// An order of the vertices of a graph in which neighbours lie together. Local.
#pragma once

#include <cstdint>
#include <vector>

namespace op2::comm {

/// Who is next to whom: `neighbours[first[v]]` up to `neighbours[first[v + 1]]`, symmetric, each
/// once, never the vertex itself.
struct LocalGraph {
  std::vector<std::int32_t> first, neighbours;
};

/// The vertex at each position; empty if there is no library for it. The same in every run.
/// @throws Error internal (the library reports a fault)
std::vector<std::int32_t> order_of_small_bandwidth(const LocalGraph& graph);

}  // namespace op2::comm
