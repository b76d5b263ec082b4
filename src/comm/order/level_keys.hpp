// SPDX-License-Identifier: BSD-3-Clause
// An order of small bandwidth that depends on the graph and the global indices alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <comm/order/declared_graph.hpp>

namespace op2::comm {

/// Searches need a round of messages for each distance; with more than these, in all searches,
/// there are no keys.
constexpr std::int64_t most_search_rounds = std::int64_t{1} << 18;

/// Keys by which to sort the elements; of equal ones, the global index decides. Connected parts of
/// the graph follow each other in the order of their lowest indices. In each, elements are sorted
/// by their distance from one end of it, as Cuthill and McKee do, and of equal distance by that
/// from another root. Roots are the element farthest from that with the lowest index, then thrice
/// the one farthest from all roots before it; of several, that with the lowest index. The first
/// gives the first distance, the last the second. Elements without neighbours come last.
/// Collective. Cost: five searches (breadth_first.hpp) of each part.
/// @return of each vertex; nothing, on all ranks, if there are too many distances
std::optional<std::vector<std::int64_t>> level_keys(const DeclaredMaps& mesh,
                                                    const DeclaredGraph& graph);

}  // namespace op2::comm
