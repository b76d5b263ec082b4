// SPDX-License-Identifier: BSD-3-Clause
#include <sched/lower.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace op2::sched {
namespace {

/// Number of `item` in the order of first appearance.
template <class T>
std::int32_t number_of(std::vector<T>& seen, const T& item) {
  const auto found = std::find(seen.begin(), seen.end(), item);
  if (found == seen.end()) seen.push_back(item);
  return static_cast<std::int32_t>(std::find(seen.begin(), seen.end(), item) - seen.begin());
}

bool reaches(const core::LoopArg& arg, const std::set<const core::Dat*>& dats) {
  return arg.is_active_dat() && dats.contains(arg.dat);
}

void sort_unique(std::vector<Conflict>& conflicts) {
  std::sort(conflicts.begin(), conflicts.end());
  conflicts.erase(std::unique(conflicts.begin(), conflicts.end()), conflicts.end());
}

std::vector<Touch> touches_of(const std::vector<Conflict>& conflicts) {
  std::vector<Touch> touches;
  for (const Conflict& c : conflicts)
    touches.push_back(c.map == nullptr
                          ? Touch{nullptr, 0, c.target->size}
                          : Touch{c.map->entries.data() + c.column, c.map->dim, c.target->size});
  return touches;
}

}  // namespace

std::vector<jit::ArgShape> arg_shapes(std::span<const core::LoopArg> args) {
  std::vector<const core::Dat*> dats;
  std::vector<std::pair<const core::Map*, int>> indices;
  std::vector<jit::ArgShape> shapes;
  for (const core::LoopArg& arg : args) {
    jit::ArgShape shape{.kind = arg.kind,
                        .access = arg.access,
                        .type = arg.type,
                        .dim = arg.dim,
                        .active = arg.active};
    if (arg.is_active_dat()) shape.dat = number_of(dats, static_cast<const core::Dat*>(arg.dat));
    if (arg.active && arg.is_indirect())
      shape.index = number_of(indices, {static_cast<const core::Map*>(arg.map), arg.column});
    shapes.push_back(shape);
  }
  return shapes;
}

std::vector<jit::Constant> constants_of(const core::Mesh& mesh) {
  std::vector<jit::Constant> constants;
  for (const auto& [name, constant] : mesh.constants())
    constants.push_back({name, constant.type, constant.dim, constant.value.get()});
  return constants;
}

ConflictPattern conflict_pattern(const op_set_core* set, std::span<const core::LoopArg> args) {
  std::set<const core::Dat*> shared;  // modified through a map
  for (const core::LoopArg& arg : args)
    if (arg.is_active_dat() && arg.modifies() && arg.is_indirect()) shared.insert(arg.dat);
  ConflictPattern pattern{set, {}, {}};
  for (const core::LoopArg& arg : args) {
    if (!reaches(arg, shared)) continue;
    const Conflict conflict{arg.map, arg.is_indirect() ? arg.column : -1, arg.dat->set};
    pattern.conflicts.push_back(conflict);
    if (arg.is_indirect() && (arg.access == OP_WRITE || arg.access == OP_RW))
      pattern.overwrites.push_back(conflict);
  }
  sort_unique(pattern.conflicts);
  sort_unique(pattern.overwrites);
  return pattern;
}

ThreadPlan plan_loop(const ConflictPattern& pattern, int threads) {
  const auto overwrites = touches_of(pattern.overwrites);
  if (threads == 1 || (!overwrites.empty() && has_repeated_targets(pattern.set->size, overwrites)))
    return plan_in_order(pattern.set->size, threads);
  return plan_threads(pattern.set->size, threads, touches_of(pattern.conflicts));
}

double useful_bytes(const op_set_core* set, std::span<const core::LoopArg> args) {
  struct Use {
    bool reads = false, writes = false;
    double rows = 0;
  };
  std::map<const core::Dat*, Use> uses;
  std::set<const core::Map*> maps;
  for (const core::LoopArg& arg : args) {
    if (!arg.active) continue;
    if (arg.is_indirect()) maps.insert(arg.map);
    if (!arg.is_active_dat()) continue;
    Use& use = uses[arg.dat];
    use.reads = use.reads || arg.access != OP_WRITE;
    use.writes = use.writes || arg.modifies();
    use.rows += set->size;  // each argument reaches at most one row per element
  }
  double bytes = 0;
  for (const auto& [dat, use] : uses)
    bytes +=
        std::min<double>(dat->set->size, use.rows) * dat->size * (int{use.reads} + int{use.writes});
  for (const core::Map* map : maps)
    bytes += static_cast<double>(set->size) * map->dim * sizeof(std::int32_t);
  return bytes;
}

}  // namespace op2::sched
