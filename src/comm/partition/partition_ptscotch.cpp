// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>  // ptscotch.h names FILE
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <mpi.h>
#include <ptscotch.h>

#include <comm/messages/records.hpp>
#include <comm/partition/partition.hpp>
#include <comm/partition/scotch_calls.hpp>
#include <core/error.hpp>

namespace op2::comm {

namespace {

void check_ptscotch(int code, const char* call) {
  if (code != 0)
    core::fail(ErrorCode::communication_failure,
               "PT-Scotch failed: {}, code {}; choose another partitioner, for example with "
               "OP2_PARTITIONER=rcb",
               call, code);
}

using PrivateMpi = Resource<MPI_Comm, MPI_Comm_free>;
using Context = Resource<SCOTCH_Context, SCOTCH_contextExit>;
using Strategy = Resource<SCOTCH_Strat, SCOTCH_stratExit>;
using Graph = Resource<SCOTCH_Dgraph, SCOTCH_dgraphExit>;

/// A graph in the integers that PT-Scotch was built with.
struct Arrays {
  std::vector<SCOTCH_Num> first, neighbours;

  explicit Arrays(const Ragged<GlobalId>& graph)
      : first(graph.first.begin(), graph.first.end()),
        neighbours(graph.values.begin(), graph.values.end()) {}
  SCOTCH_Num vertices() const { return static_cast<SCOTCH_Num>(first.size() - 1); }
};

/// @param arrays  outlive the graph
void build(SCOTCH_Dgraph* graph, Arrays& arrays) {
  const auto arcs = static_cast<SCOTCH_Num>(arrays.neighbours.size());
  check_ptscotch(SCOTCH_dgraphBuild(graph, 0, arrays.vertices(), arrays.vertices(),
                                    arrays.first.data(), arrays.first.data() + 1, nullptr, nullptr,
                                    arcs, arcs, arrays.neighbours.data(), nullptr, nullptr),
                 "SCOTCH_dgraphBuild");
}

/// @return the part of each vertex of this rank
std::vector<SCOTCH_Num> parts_of(MPI_Comm ranks, int parts, Arrays& arrays) {
  PrivateMpi mpi(check_ptscotch, "MPI_Comm_dup",
                 [&](MPI_Comm* copy) { return MPI_Comm_dup(ranks, copy); });
  Context context(check_ptscotch, "SCOTCH_contextInit", SCOTCH_contextInit);
  Graph graph(check_ptscotch, "SCOTCH_dgraphInit",
              [&](SCOTCH_Dgraph* init) { return SCOTCH_dgraphInit(init, *mpi.get()); });
  make_deterministic(context.get(), check_ptscotch);
  build(graph.get(), arrays);
  Graph bound(check_ptscotch, "SCOTCH_contextBindDgraph", [&](SCOTCH_Dgraph* init) {
    return SCOTCH_contextBindDgraph(context.get(), graph.get(), init);
  });
  Strategy strategy(check_ptscotch, "SCOTCH_stratInit", SCOTCH_stratInit);
  std::vector<SCOTCH_Num> result(arrays.first.size());  // one too many, so that none is null
  check_ptscotch(SCOTCH_dgraphPart(bound.get(), parts, strategy.get(), result.data()),
                 "SCOTCH_dgraphPart");
  result.pop_back();
  return result;
}

/// Numbers of arcs and vertices are counted for the whole graph. Collective.
bool is_too_large(Communicator& communicator, const Ragged<GlobalId>& graph, GlobalId vertices) {
  const auto arcs = gather_records(communicator, static_cast<std::int64_t>(graph.values.size()));
  return std::max(vertices, std::accumulate(arcs.begin(), arcs.end(), std::int64_t{0})) >
         std::numeric_limits<SCOTCH_Num>::max();
}

}  // namespace

std::optional<Owners> kway_owners(Communicator& communicator, const BlockMesh& mesh, int map,
                                  bool threads_allowed, std::string& reason) {
  const std::optional<int> mpi = communicator.mpi_handle();
  if (!mpi) {
    reason = "PT-Scotch needs MPI, which this job does not use";
    return {};
  }
  if (!threads_allowed) {
    reason = "PT-Scotch can hang unless MPI was initialised with MPI_THREAD_MULTIPLE";
    return {};
  }
  const BlockMap& edges = mesh.maps[map];
  const GlobalId vertices = mesh.sets[edges.to].size();
  if (vertices == 0) return Owners();

  const Ragged<GlobalId> graph = dual_graph(communicator, mesh, edges);
  if (is_too_large(communicator, graph, vertices)) {
    reason = fmt::format("the mesh has more neighbours than PT-Scotch can count in {} bits",
                         8 * sizeof(SCOTCH_Num));
    return {};
  }
  Arrays arrays(graph);
  const auto parts =
      parts_of(MPI_Comm_f2c(static_cast<MPI_Fint>(*mpi)), communicator.size(), arrays);
  return Owners(parts.begin(), parts.end());
}

}  // namespace op2::comm
