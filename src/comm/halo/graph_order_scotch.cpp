// SPDX-License-Identifier: BSD-3-Clause
#include <type_traits>

#include <comm/halo/graph_order.hpp>
#include <comm/partition/scotch_calls.hpp>
#include <core/error.hpp>

namespace op2::comm {
namespace {

void check_order(int code, const char* call) {
  if (code != 0)
    core::fail(ErrorCode::internal,
               "Scotch failed: {}, code {}; set OP2_RENUMBER=off to do without it", call, code);
}

/// Scotch may have been built with 64-bit indices.
std::vector<SCOTCH_Num> as_scotch_numbers(const std::vector<std::int32_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

}  // namespace

std::vector<std::int32_t> order_of_small_bandwidth(const LocalGraph& graph) {
  std::vector<SCOTCH_Num> first = as_scotch_numbers(graph.first),
                          neighbours = as_scotch_numbers(graph.neighbours);
  const auto vertices = static_cast<SCOTCH_Num>(first.size() - 1);
  Scoped<SCOTCH_Graph, SCOTCH_graphExit> scotch;
  check_order(SCOTCH_graphInit(&scotch.value), "SCOTCH_graphInit");
  check_order(
      SCOTCH_graphBuild(&scotch.value, 0, vertices, first.data(), nullptr, nullptr, nullptr,
                        static_cast<SCOTCH_Num>(neighbours.size()), neighbours.data(), nullptr),
      "SCOTCH_graphBuild");
  Scoped<SCOTCH_Strat, SCOTCH_stratExit> strategy;
  check_order(SCOTCH_stratInit(&strategy.value), "SCOTCH_stratInit");
  check_order(SCOTCH_stratGraphOrder(&strategy.value, "g{pass=3}"), "SCOTCH_stratGraphOrder");
  std::vector<SCOTCH_Num> vertex_at(graph.first.size());  // one too many, so that none is null
  check_order(SCOTCH_graphOrder(&scotch.value, &strategy.value, nullptr, vertex_at.data(), nullptr,
                                nullptr, nullptr),
              "SCOTCH_graphOrder");
  return {vertex_at.begin(), vertex_at.begin() + vertices};
}

}  // namespace op2::comm
