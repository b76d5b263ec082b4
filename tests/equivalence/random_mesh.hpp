// SPDX-License-Identifier: BSD-3-Clause
// Random meshes for random programs: declared in equal blocks of the ranks, the same whatever runs
// them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <equivalence/hash.hpp>
#include <op2/op2.hpp>
#include <support/graph_on_ranks.hpp>

namespace op2::test {

using Random = std::mt19937_64;

inline int pick(Random& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}
inline bool chance(Random& random, int percent) {
  return pick(random, 1, 100) <= percent;
}

template <class T>
const T& any(Random& random, const std::vector<T>& list) {
  return list[random() % list.size()];
}

template <class Action>
void for_type(Type type, Action&& action) {
  switch (type) {
    case Type::f64:
      return action.template operator()<double>();
    case Type::f32:
      return action.template operator()<float>();
    case Type::i32:
      return action.template operator()<int>();
    case Type::u32:
      return action.template operator()<unsigned>();
    case Type::b8:
      return action.template operator()<bool>();
    default:
      return action.template operator()<long>();
  }
}

/// Runs over `edges` or over `nodes`; edges have two maps to nodes, nodes one into themselves, and
/// "marks" lie one-to-one on nodes; "few" are declared by one rank alone, and "none" has no
/// elements.
struct Mesh {
  op_set nodes, edges, marks;    ///< declared in equal blocks
  op_set few, none;              ///< without dats
  op_map edge_nodes;             ///< arity 3, repeated targets
  op_map far_nodes;              ///< arity 2, anywhere
  op_map node_nodes;             ///< arity 2, self map
  op_map mark_nodes;             ///< arity 1, injective
  op_map few_nodes, none_nodes;  ///< arity 2, anywhere
  std::vector<op_dat> dats;

  std::vector<op_dat> on(op_set set, Type type, int dim) const {
    std::vector<op_dat> found;
    for (op_dat dat : dats)
      if (dat->set == set && dat->dim == dim &&
          dat->type == std::string_view(names[static_cast<int>(type)]))
        found.push_back(dat);
    return found;
  }
  static constexpr std::array<const char*, 7> names = {"double", "float", "int", "uint",
                                                       "ll",     "ull",   "bool"};
};

inline std::vector<int> random_targets(Random& random, int from, int arity, int to, bool near) {
  std::vector<int> targets;
  for (int k = 0; k < from * arity; ++k) {
    const int centre =
        static_cast<int>(static_cast<std::int64_t>(k / arity) * to / std::max(from, 1));
    targets.push_back(near ? (centre + pick(random, 0, 2)) % to : pick(random, 0, to - 1));
  }
  return targets;
}

inline int size_of(op_set set) {
  return static_cast<int>(op_get_size(set));
}

inline op_set declare_set(int size, const char* name) {
  return op_decl_set(equal_block(size).size(), name);
}

/// @param targets  of the whole map
inline op_map declare_map(op_set from, op_set to, int arity, const std::vector<int>& targets,
                          const char* name) {
  const Block mine = equal_block(size_of(from));
  return op_decl_map(from, to, arity, targets.data() + arity * mine.begin, name);
}

inline void add_dat(Mesh& mesh, Random& random, op_set set, Type type, int dim, int number) {
  const std::string name =
      fmt::format("{}_{}{}x{}", set->name, Mesh::names[static_cast<int>(type)], number, dim);
  const int values = size_of(set) * dim;
  const std::ptrdiff_t mine = equal_block(size_of(set)).begin;
  for_type(type, [&]<class T>() {
    std::vector<char> bytes(static_cast<std::size_t>(values) * sizeof(T));
    T* typed = reinterpret_cast<T*>(bytes.data());
    for (int k = 0; k < values; ++k)
      typed[k] = static_cast<T>(pick(random, 0, OP2_TEST_MODULUS - 1));
    const T* block = chance(random, 10) ? nullptr : typed + mine * dim;
    mesh.dats.push_back(op_decl_dat(set, dim, block, name.c_str()));
  });
}

/// The entries of all maps to nodes, by the names of `Mesh`.
struct NodeMaps {
  std::vector<int> edge_nodes, far_nodes, node_nodes, mark_nodes;
};

inline NodeMaps random_maps(Random& random, int nodes, int edges) {
  NodeMaps maps{random_targets(random, edges, 3, nodes, true),
                random_targets(random, edges, 2, nodes, false),
                random_targets(random, nodes, 2, nodes, true),
                {}};
  for (int k = 0; k < nodes / 3; ++k) maps.mark_nodes.push_back(3 * k + k % 3);
  return maps;
}

/// Gives nodes other numbers, at random or those of the first half between those of the second, in
/// a mesh without far neighbours: its declared order is much worse than others.
inline void renumber_nodes(Random& random, NodeMaps& maps, int nodes, int edges) {
  std::vector<int> number(static_cast<std::size_t>(nodes));
  std::iota(number.begin(), number.end(), 0);
  if (chance(random, 50))
    std::shuffle(number.begin(), number.end(), random);
  else
    for (int k = 0; k < nodes; ++k)
      number[static_cast<std::size_t>(k)] = k / 2 + (k % 2 == 0 ? 0 : (nodes + 1) / 2);
  maps.far_nodes = random_targets(random, edges, 2, nodes, true);
  for (auto* targets : {&maps.edge_nodes, &maps.far_nodes, &maps.node_nodes, &maps.mark_nodes})
    for (int& target : *targets) target = number[static_cast<std::size_t>(target)];
  std::vector<int> moved(maps.node_nodes.size());
  for (std::size_t k = 0; k < moved.size(); ++k)
    moved[static_cast<std::size_t>(number[k / 2]) * 2 + k % 2] = maps.node_nodes[k];
  maps.node_nodes = std::move(moved);
}

/// On a rank that the program chooses.
inline void declare_few(Mesh& mesh, Random& random, int nodes) {
  const int size = nodes == 0 ? 0 : pick(random, 0, 3), place = pick(random, 0, 100);
  const std::vector<int> targets = random_targets(random, size, 2, nodes, false);
  const bool mine = op_rank() == place % op_ranks();
  mesh.few = op_decl_set(mine ? size : 0, "few");
  mesh.none = op_decl_set(0, "none");
  mesh.few_nodes = op_decl_map(mesh.few, mesh.nodes, 2, targets.data(), "few_nodes");
  mesh.none_nodes = op_decl_map(mesh.none, mesh.nodes, 2, targets.data(), "none_nodes");
}

inline Mesh random_mesh(Random& random) {
  Mesh mesh;
  const bool tiny = chance(random, 15);
  const int nodes = tiny ? pick(random, 0, 3) : pick(random, 50, 2500);
  const int edges = nodes == 0 ? 0 : (tiny ? pick(random, 0, 4) : pick(random, 50, 4000));
  mesh.nodes = declare_set(nodes, "nodes");
  mesh.edges = declare_set(edges, "edges");
  mesh.marks = declare_set(nodes / 3, "marks");
  NodeMaps maps = random_maps(random, nodes, edges);
  Random other = random;  // the rest of the program does not depend on the numbers
  if (chance(other, 40)) renumber_nodes(other, maps, nodes, edges);
  mesh.edge_nodes = declare_map(mesh.edges, mesh.nodes, 3, maps.edge_nodes, "edge_nodes");
  mesh.far_nodes = declare_map(mesh.edges, mesh.nodes, 2, maps.far_nodes, "far_nodes");
  mesh.node_nodes = declare_map(mesh.nodes, mesh.nodes, 2, maps.node_nodes, "node_nodes");
  mesh.mark_nodes = declare_map(mesh.marks, mesh.nodes, 1, maps.mark_nodes, "mark_nodes");
  declare_few(mesh, random, nodes);
  for (const Type type : {Type::f64, Type::f32, Type::i32, Type::u32, Type::i64, Type::b8})
    for (op_set set : {mesh.nodes, mesh.edges, mesh.marks})
      for (int n = 0; n < 4; ++n) add_dat(mesh, random, set, type, n < 3 ? 1 : 3, n);
  for (op_set set : {mesh.nodes, mesh.edges, mesh.marks})
    for (const Type type : {Type::f64, Type::f32, Type::i32, Type::u32, Type::i64, Type::b8})
      add_dat(mesh, random, set, type, 3, 4);
  return mesh;
}

/// Two different dats of a kind.
inline std::pair<op_dat, op_dat> two(Random& random, const std::vector<op_dat>& list) {
  const std::size_t first = random() % list.size();
  return {list[first], list[(first + 1 + random() % (list.size() - 1)) % list.size()]};
}

/// The dats that a loop may use: two of dim 1 and two of dim 3, on the set it runs over and on
/// nodes.
struct Choice {
  std::pair<op_dat, op_dat> direct, wide, behind, behind_wide;
};

/// Makes a loop over nodes read no rows that other elements modify.
inline void separate(Choice& of, const std::vector<op_dat>& list) {
  for (op_dat dat : list)
    if (dat != of.behind.first && dat != of.behind.second) of.direct = {dat, of.behind.first};
  of.wide = {of.behind_wide.second, of.behind_wide.first};
}

}  // namespace op2::test
