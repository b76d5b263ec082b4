// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include <comm/partition/dual_graph.hpp>
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

void build(SCOTCH_Graph* graph, std::vector<SCOTCH_Num>& first,
           std::vector<SCOTCH_Num>& neighbours) {
  if (neighbours.size() > static_cast<std::size_t>(std::numeric_limits<SCOTCH_Num>::max()))
    core::fail(ErrorCode::too_large,
               "the mesh has more neighbours than Scotch can count: {}, in {} bits; use a smaller "
               "mesh",
               neighbours.size(), 8 * sizeof(SCOTCH_Num));
  check_scotch(SCOTCH_graphBuild(graph, 0, static_cast<SCOTCH_Num>(first.size() - 1), first.data(),
                          nullptr, nullptr, nullptr, static_cast<SCOTCH_Num>(neighbours.size()),
                          neighbours.data(), nullptr),
        "SCOTCH_graphBuild");
}

}  // namespace

std::optional<Owners> serial_kway_owners(const BlockMesh& mesh, int map, int parts) {
  const auto alone = make_self_communicator();
  const BlockMap& edges = mesh.maps[static_cast<std::size_t>(map)];
  const Ragged<GlobalId> dual = dual_graph(*alone, mesh, edges);
  std::vector<SCOTCH_Num> first(dual.first.begin(), dual.first.end());
  std::vector<SCOTCH_Num> neighbours(dual.values.begin(), dual.values.end());
  if (dual.rows() == 0) return Owners();

  Scoped<SCOTCH_Context, SCOTCH_contextExit> context;
  check_scotch(SCOTCH_contextInit(&context.value), "SCOTCH_contextInit");
  make_deterministic(&context.value, check_scotch);
  Scoped<SCOTCH_Graph, SCOTCH_graphExit> graph, bound;
  check_scotch(SCOTCH_graphInit(&graph.value), "SCOTCH_graphInit");
  build(&graph.value, first, neighbours);
  check_scotch(SCOTCH_graphInit(&bound.value), "SCOTCH_graphInit");
  check_scotch(SCOTCH_contextBindGraph(&context.value, &graph.value, &bound.value),
        "SCOTCH_contextBindGraph");
  Scoped<SCOTCH_Strat, SCOTCH_stratExit> strategy;
  check_scotch(SCOTCH_stratInit(&strategy.value), "SCOTCH_stratInit");
  // PT-Scotch tries several copies of the coarsest graph; by default Scotch would find worse borders.
  check_scotch(SCOTCH_stratGraphMapBuild(&strategy.value, SCOTCH_STRATQUALITY, parts, imbalance),
        "SCOTCH_stratGraphMapBuild");
  std::vector<SCOTCH_Num> part(dual.rows());
  check_scotch(SCOTCH_graphPart(&bound.value, parts, &strategy.value, part.data()), "SCOTCH_graphPart");
  return Owners(part.begin(), part.end());
}

}  // namespace op2::comm
