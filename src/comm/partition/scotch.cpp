// SPDX-License-Identifier: BSD-3-Clause
// What Scotch does in one process: parts of a whole mesh, and an order of the vertices of a graph.
#include <limits>
#include <vector>

#include <comm/halo/locality.hpp>
#include <comm/partition/partition.hpp>
#include <comm/partition/scotch_calls.hpp>
#include <core/error.hpp>

namespace op2::comm {

namespace {

/// How much larger than the mean a part may be: about what PT-Scotch makes of it.
constexpr double imbalance = 0.05;

void check_scotch(int code, const char* call) {
  if (code != 0)
    core::fail(ErrorCode::internal, "Scotch failed: {}, code {}; please report it", call, code);
}

void check_order(int code, const char* call) {
  if (code != 0)
    core::fail(ErrorCode::internal,
               "Scotch failed: {}, code {}; set OP2_RENUMBER=off to do without it", call, code);
}

using SerialGraph = Resource<SCOTCH_Graph, SCOTCH_graphExit>;
using SerialStrategy = Resource<SCOTCH_Strat, SCOTCH_stratExit>;

/// A graph in the integers that Scotch was built with.
struct BuiltGraph {
  template <class T, class Check>
  BuiltGraph(const Ragged<T>& rows, const Check& check)
      : first(rows.first.begin(), rows.first.end()),
        neighbours(rows.values.begin(), rows.values.end()),
        graph(check, "SCOTCH_graphInit", SCOTCH_graphInit) {
    if (neighbours.size() > static_cast<std::size_t>(std::numeric_limits<SCOTCH_Num>::max()))
      core::fail(ErrorCode::too_large,
                 "the mesh has more neighbours than Scotch can count: {}, in {} bits; use a "
                 "smaller mesh",
                 neighbours.size(), 8 * sizeof(SCOTCH_Num));
    check(SCOTCH_graphBuild(graph.get(), 0, vertices(), first.data(), nullptr, nullptr, nullptr,
                            static_cast<SCOTCH_Num>(neighbours.size()), neighbours.data(), nullptr),
          "SCOTCH_graphBuild");
  }
  SCOTCH_Num vertices() const { return static_cast<SCOTCH_Num>(first.size() - 1); }

  std::vector<SCOTCH_Num> first, neighbours;
  SerialGraph graph;
};

}  // namespace

std::optional<Owners> serial_kway_owners(const BlockMesh& mesh, int map, int parts) {
  const auto alone = make_self_communicator();
  const Ragged<GlobalId> dual = dual_graph(*alone, mesh, mesh.maps[map]);
  if (dual.rows() == 0) return Owners();

  Resource<SCOTCH_Context, SCOTCH_contextExit> context(check_scotch, "SCOTCH_contextInit",
                                                       SCOTCH_contextInit);
  make_deterministic(context.get(), check_scotch);
  BuiltGraph built(dual, check_scotch);
  SerialGraph bound(check_scotch, "SCOTCH_graphInit", SCOTCH_graphInit);
  check_scotch(SCOTCH_contextBindGraph(context.get(), built.graph.get(), bound.get()),
               "SCOTCH_contextBindGraph");
  SerialStrategy strategy(check_scotch, "SCOTCH_stratInit", SCOTCH_stratInit);
  // PT-Scotch tries several copies of the coarsest graph; by default Scotch would find worse
  // borders.
  check_scotch(SCOTCH_stratGraphMapBuild(strategy.get(), SCOTCH_STRATQUALITY, parts, imbalance),
               "SCOTCH_stratGraphMapBuild");
  std::vector<SCOTCH_Num> part(dual.rows());
  check_scotch(SCOTCH_graphPart(bound.get(), parts, strategy.get(), part.data()),
               "SCOTCH_graphPart");
  return Owners(part.begin(), part.end());
}

Order order_of_small_bandwidth(const Ragged<std::int32_t>& graph) {
  BuiltGraph built(graph, check_order);
  SerialStrategy strategy(check_order, "SCOTCH_stratInit", SCOTCH_stratInit);
  check_order(SCOTCH_stratGraphOrder(strategy.get(), "g{pass=3}"), "SCOTCH_stratGraphOrder");
  std::vector<SCOTCH_Num> vertex_at(graph.first.size());  // one too many, so that none is null
  check_order(SCOTCH_graphOrder(built.graph.get(), strategy.get(), nullptr, vertex_at.data(),
                                nullptr, nullptr, nullptr),
              "SCOTCH_graphOrder");
  return {vertex_at.begin(), vertex_at.begin() + built.vertices()};
}

}  // namespace op2::comm
