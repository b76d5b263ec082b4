// SPDX-License-Identifier: BSD-3-Clause
// Meshes without order, declared in blocks of different sizes.
#include <algorithm>

#include "features.hpp"

namespace features {
namespace {

const int node_count = 97, edge_count = 211, cell_count = 60, pair_count = 41;

/// How much of a set each rank gets, relative to the others; `turn` differs from set to set.
int weight(int rank, int ranks, int turn) {
  static const int of_eight[] = {3, 0, 2, 1, 0, 4, 1, 2};
  return ranks < 8 ? 1 + (rank + turn) % 3 : of_eight[(rank + turn) % 8];
}

std::vector<int> random_entries(int count, int bound, int seed) {
  std::vector<int> made;
  unsigned state = 99u + 31u * static_cast<unsigned>(seed);
  for (int k = 0; k < count; ++k) {
    state = state * 1664525u + 1013904223u;
    made.push_back(static_cast<int>((state >> 12) % static_cast<unsigned>(bound)));
  }
  return made;
}

/// All numbers below `count` in an order without pattern.
std::vector<int> random_order(int count, int seed) {
  std::vector<int> made, other = random_entries(count, count, seed);
  for (int k = 0; k < count; ++k) made.push_back(k);
  for (int k = count - 1; k > 0; --k) std::swap(made[k], made[other[k] % (k + 1)]);
  return made;
}

/// Neighbours in a hidden order, and some edges and cells that repeat a node.
void connect(Mesh& mesh) {
  const std::vector<int> order = random_order(node_count, 1);
  const std::vector<int> start = random_entries(edge_count, node_count, 2);
  const std::vector<int> step = random_entries(edge_count, 7, 3);  // 0: both ends are equal
  for (int e = 0; e < edge_count; ++e) {
    mesh.edge_nodes.push_back(order[start[e]]);
    mesh.edge_nodes.push_back(order[(start[e] + step[e]) % node_count]);
  }
  for (int c = 0; c < cell_count; ++c)
    for (int k = 0; k < 4; ++k)
      mesh.cell_nodes.push_back(order[(start[c] + k * step[c + 50]) % node_count]);
  const std::vector<int> disjoint = random_order(node_count, 4);
  mesh.pair_nodes.assign(disjoint.begin(), disjoint.begin() + 2 * pair_count);
}

/// Ranks by turns, the last one nothing.
op_dat declare_owners(const Part& part) {
  const int owning = std::max(number_of_ranks() - 1, 1);
  Values<int> owners(part.total);
  for (int k = 0; k < part.total; ++k) owners[k] = (k * 5 + k / 7) % owning;
  return declare(part, 1, owners, "owners");
}

}  // namespace

int rank_of_this() {
  int rank = 0;
  op_rank(&rank);
  return rank;
}

int number_of_ranks() {
  static const int ranks = static_cast<int>(op_get_size(op_decl_set(1, "count_ranks")));
  return ranks;
}

Part declare_part(int total, const char* name) {
  const int rank = rank_of_this(), ranks = number_of_ranks();
  const int turn = total % 8;
  int before = 0, all = 0;
  for (int r = 0; r < ranks; ++r) {
    if (r < rank) before += weight(r, ranks, turn);
    all += weight(r, ranks, turn);
  }
  const int begin = total * before / all;
  const int end = total * (before + weight(rank, ranks, turn)) / all;
  return {op_decl_set(end - begin, name), total, begin, end - begin};
}

op_map declare_map(const Part& from, const Part& to, int dim, std::vector<int>& entries,
                   const char* name) {
  int* mine = from.size == 0 ? NULL : &entries[from.begin * dim];
  return op_decl_map(from.set, to.set, dim, mine, name);
}

Mesh declare_mesh(const std::string& partitioner) {
  Mesh mesh;
  mesh.name = partitioner;
  connect(mesh);
  const auto named = [&](const char* name) { return name + ("_" + partitioner); };
  mesh.nodes = declare_part(node_count, named("nodes").c_str());
  mesh.edges = declare_part(edge_count, named("edges").c_str());
  mesh.cells = declare_part(cell_count, named("cells").c_str());
  mesh.pairs = declare_part(pair_count, named("pairs").c_str());
  mesh.edges_to_nodes =
      declare_map(mesh.edges, mesh.nodes, 2, mesh.edge_nodes, named("edges_to_nodes").c_str());
  mesh.cells_to_nodes =
      declare_map(mesh.cells, mesh.nodes, 4, mesh.cell_nodes, named("cells_to_nodes").c_str());
  mesh.pairs_to_nodes =
      declare_map(mesh.pairs, mesh.nodes, 2, mesh.pair_nodes, named("pairs_to_nodes").c_str());
  if (partitioner == "PTSCOTCH")
    op_partition("PTSCOTCH", "KWAY", mesh.nodes.set, mesh.edges_to_nodes, NULL);
  if (partitioner == "EXTERNAL")
    op_partition("EXTERNAL", "", mesh.nodes.set, NULL, declare_owners(mesh.nodes));
  return mesh;
}

}  // namespace features
