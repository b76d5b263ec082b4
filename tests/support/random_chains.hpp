// SPDX-License-Identifier: BSD-3-Clause
// Random small meshes with owners, and random chains of loops on them whose result does not depend
// on the order of iterations.
#pragma once

#include <support/halo_model.hpp>

namespace op2::test {

/// Uniform in low .. high.
inline int pick(Random& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<Value>(high - low + 1));
}
inline bool chance(Random& random, int percent) {
  return pick(random, 1, 100) <= percent;
}

/// One of the listed values; repeat one to make it likelier.
template <class T>
T one_of(Random& random, std::initializer_list<T> list) {
  return list.begin()[pick(random, 0, static_cast<int>(list.size()) - 1)];
}

/// Targets in ascending order, each once, spread over the target set.
inline ModelMap injective_map(Random& random, const ModelMesh& mesh, int from, int to) {
  const int rows = mesh.set_sizes[from], targets = mesh.set_sizes[to];
  const int arity = std::min(pick(random, 1, 2), targets / rows);
  ModelMap map{from, to, {}, true};
  for (int row = 0; row < rows; ++row) {
    map.targets.emplace_back();
    for (int column = 0; column < arity; ++column)
      map.targets.back().push_back((row * arity + column) * targets / (rows * arity));
  }
  return map;
}

/// Targets near the row's own place in the target set, repeated ones included.
inline ModelMap nearby_map(Random& random, const ModelMesh& mesh, int from, int to) {
  const int rows = mesh.set_sizes[from], targets = mesh.set_sizes[to];
  const int arity = pick(random, 1, 4), spread = one_of(random, {1, 1, 2});
  ModelMap map{from, to, {}, false};
  for (int row = 0; row < rows; ++row) {
    map.targets.emplace_back();
    for (int column = 0; column < arity; ++column) {
      const int place = row * targets / rows + pick(random, -spread, spread);
      map.targets.back().push_back((place % targets + targets) % targets);
    }
  }
  return map;
}

inline void add_random_map(Random& random, ModelMesh& mesh) {
  const int last = static_cast<int>(mesh.set_sizes.size()) - 1;
  const int from = pick(random, 0, last), to = pick(random, 0, last);
  const int rows = mesh.set_sizes[from], targets = mesh.set_sizes[to];
  if (rows > 0 && targets == 0) return;  // there is no such map
  const bool injective = rows > 0 && rows <= targets && chance(random, 25);
  mesh.maps.push_back(injective ? injective_map(random, mesh, from, to)
                                : nearby_map(random, mesh, from, to));
}

/// Contiguous blocks at the same relative places in every set, and a few strays.
inline std::vector<int> random_owners(Random& random, int size, const std::vector<int>& cuts) {
  std::vector<int> owners;
  for (int element = 0; element < size; ++element) {
    const int place = element * 100 / size;
    const auto block =
        std::count_if(cuts.begin(), cuts.end(), [&](int cut) { return place >= cut; });
    owners.push_back(chance(random, 3) ? pick(random, 0, static_cast<int>(cuts.size()))
                                       : static_cast<int>(block));
  }
  return owners;
}

inline ModelMesh random_mesh(Random& random) {
  ModelMesh mesh{{}, {}, {}, {}, pick(random, 1, 4)};
  const int sets = pick(random, 1, 4);
  for (int set = 0; set < sets; ++set)
    mesh.set_sizes.push_back(chance(random, 8) ? one_of(random, {0, 1, 3}) : pick(random, 16, 48));
  const int maps = pick(random, 1, 2 * sets);
  for (int map = 0; map < maps; ++map) add_random_map(random, mesh);

  std::vector<int> cuts;
  for (int rank = 1; rank < mesh.ranks; ++rank) cuts.push_back(pick(random, 0, 100));
  for (const int size : mesh.set_sizes) mesh.owner.push_back(random_owners(random, size, cuts));

  const int dats = pick(random, 2, 6);
  for (int dat = 0; dat < dats; ++dat) mesh.dat_sets.push_back(pick(random, 0, sets - 1));
  return mesh;
}

/// A set with a single map, whose elements belong to the ranks of their targets, and a dat on it.
inline void add_set_with_local_map(Random& random, ModelMesh& mesh) {
  const int to = pick(random, 0, static_cast<int>(mesh.set_sizes.size()) - 1);
  const int from = static_cast<int>(mesh.set_sizes.size()), targets = mesh.set_sizes[to];
  if (targets == 0) return;
  mesh.set_sizes.push_back(pick(random, 1, targets));
  const bool injective = chance(random, 70);
  mesh.maps.push_back({from, to, {}, injective});
  for (int row = 0; row < mesh.set_sizes[from]; ++row) {
    const int target =
        injective ? row * targets / mesh.set_sizes[from] : pick(random, 0, targets - 1);
    mesh.maps.back().targets.push_back({target});
  }
  mesh.owner.emplace_back(mesh.set_sizes[from]);
  inherit_owners(mesh, mesh.maps.back());
  mesh.dat_sets.push_back(from);
}

/// The same with one or two such sets.
inline ModelMesh random_mesh_with_local_maps(Random& random) {
  ModelMesh mesh = random_mesh(random);
  for (int left = pick(random, 1, 2); left > 0; --left) add_set_with_local_map(random, mesh);
  return mesh;
}

inline Values random_values(Random& random, const ModelMesh& mesh) {
  Values values;
  for (const int set : mesh.dat_sets) {
    values.emplace_back(mesh.set_sizes[set]);
    for (Value& value : values.back()) value = random();
  }
  return values;
}

/// Access to `dat` through columns of maps from `set`: all columns of a map, one, or, where order
/// cannot matter, those of all maps.
inline std::vector<ModelArg> random_indirect_args(Random& random, const ModelMesh& mesh, int set,
                                                  int dat) {
  std::vector<int> usable;
  for (int m = 0; m < std::ssize(mesh.maps); ++m)
    if (mesh.maps[m].from == set && mesh.maps[m].to == mesh.dat_sets[dat] &&
        !mesh.maps[m].targets.empty())
      usable.push_back(m);
  if (usable.empty()) return {};

  const int chosen = usable[pick(random, 0, static_cast<int>(usable.size()) - 1)];
  const bool overwrites = mesh.maps[chosen].injective && chance(random, 60);
  const auto access =
      overwrites ? one_of(random, {OP_WRITE, OP_RW}) : one_of(random, {OP_READ, OP_INC});
  if (overwrites || chance(random, 70)) usable = {chosen};
  const bool one_column = chance(random, 30);
  std::vector<ModelArg> args;
  for (const int m : usable)
    for (int column = 0; column < std::ssize(mesh.maps[m].targets[0]); ++column)
      if (!one_column || args.empty()) args.push_back({dat, m, column, access});
  return args;
}

/// Makes some loops leave rows of what they write as they are.
inline void keep_some_rows(Random& random, std::vector<ModelArg>& args) {
  const bool keeps = chance(random, 40);
  for (ModelArg& arg : args) arg.keeps = keeps && arg.access == OP_WRITE;
}

/// Every dat at most once: directly, or through maps in one access mode.
inline ModelLoop random_loop(Random& random, const ModelMesh& mesh) {
  ModelLoop loop{pick(random, 0, static_cast<int>(mesh.set_sizes.size()) - 1),
                 {},
                 random(),
                 chance(random, 15)};
  for (int dat = 0; dat < std::ssize(mesh.dat_sets); ++dat) {
    if (chance(random, 30)) continue;
    std::vector<ModelArg> args = random_indirect_args(random, mesh, loop.set, dat);
    if (mesh.dat_sets[dat] == loop.set && (args.empty() || chance(random, 50)))
      args = {{dat, -1, 0, one_of(random, {OP_READ, OP_READ, OP_WRITE, OP_RW, OP_INC})}};
    keep_some_rows(random, args);
    loop.args.insert(loop.args.end(), args.begin(), args.end());
  }
  return loop;
}

/// 1 to 6 loops.
inline ModelChain random_chain(Random& random, const ModelMesh& mesh) {
  ModelChain chain(pick(random, 1, 6));
  for (ModelLoop& loop : chain) loop = random_loop(random, mesh);
  return chain;
}

}  // namespace op2::test
