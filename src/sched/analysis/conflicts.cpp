// SPDX-License-Identifier: BSD-3-Clause
#include <sched/analysis/conflicts.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include <core/access.hpp>
#include <sched/plan.hpp>

namespace op2::sched {
namespace {

template <class T>
void sort_unique(std::vector<T>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

/// Dats that a loop modifies and accesses through maps.
std::set<const core::Dat*> shared_dats(std::span<const core::LoopArg> args) {
  std::set<const core::Dat*> modified, behind_maps, both;
  for (const core::LoopArg& arg : args) {
    if (!arg.is_active_dat()) continue;
    if (arg.modifies()) modified.insert(arg.dat);
    if (arg.is_indirect()) behind_maps.insert(arg.dat);
  }
  std::ranges::set_intersection(modified, behind_maps, std::inserter(both, both.end()));
  return both;
}

/// Whether what two arguments give to rows of one dat may come in any order.
bool combine(const core::LoopArg& a, const core::LoopArg& b) {
  return a.is_indirect() && b.is_indirect() && a.access == b.access && core::is_combined(a.access);
}

/// All accesses of a loop to `dat`.
SharedDat shared_dat(const core::Dat* dat, std::span<const core::LoopArg> args) {
  SharedDat shared{{}, true};
  const core::LoopArg* first = nullptr;
  for (const core::LoopArg& arg : args) {
    if (!arg.is_active_dat() || arg.dat != dat) continue;
    if (first == nullptr) first = &arg;
    shared.accesses.push_back(row_access(arg));
    shared.any_order = shared.any_order && combine(*first, arg);
  }
  sort_unique(shared.accesses);
  return shared;
}

/// Whether iterations read rows of `dat` that others modify.
bool is_read_out_of_order(const core::Dat* dat, std::span<const core::LoopArg> args) {
  return !shared_dat(dat, args).any_order &&
         std::ranges::any_of(args, [&](const core::LoopArg& arg) {
           return arg.is_active_dat() && arg.dat == dat && arg.declared != OP_WRITE;
         });
}

/// Whether iterations of one colour may not meet in rows of `dat`.
bool is_in_colours(const core::Dat* dat, std::span<const core::LoopArg> args, bool writes) {
  return writes ? !shared_dat(dat, args).any_order : is_read_out_of_order(dat, args);
}

/// The arguments of a loop with `dat`, where vector arguments count as one.
std::string uses_of(const core::Dat* dat, std::span<const core::LoopArg> args) {
  std::string text;
  int number = -1;
  for (const core::LoopArg& arg : args) {
    if (arg.members == 0) continue;  // a further column
    ++number;
    if (arg.is_active_dat() && arg.dat == dat)
      text +=
          fmt::format("{}arg {} {}", text.empty() ? "" : ", ", number, core::name_of(arg.declared));
  }
  return text;
}

}  // namespace

ConflictPattern conflict_pattern(std::span<const core::LoopArg> args) {
  ConflictPattern pattern;
  for (const core::Dat* dat : shared_dats(args)) pattern.push_back(shared_dat(dat, args));
  sort_unique(pattern);
  return pattern;
}

ConflictPattern conflict_pattern_of_colour(std::span<const core::LoopArg> args, bool writes) {
  ConflictPattern pattern;
  for (const core::Dat* dat : shared_dats(args))
    if (!is_in_colours(dat, args, writes)) pattern.push_back(shared_dat(dat, args));
  sort_unique(pattern);
  return pattern;
}

std::vector<const core::Dat*> dats_in_colours(std::span<const core::LoopArg> args, bool writes) {
  const std::set<const core::Dat*> shared = shared_dats(args);
  std::vector<const core::Dat*> dats;
  for (const core::LoopArg& arg : args)
    if (shared.contains(arg.dat) && std::ranges::find(dats, arg.dat) == dats.end() &&
        is_in_colours(arg.dat, args, writes))
      dats.push_back(arg.dat);
  return dats;
}

bool reads_shared_rows(std::span<const core::LoopArg> args) {
  return !dats_in_colours(args, false).empty();
}

std::string name_in_colours(std::span<const core::LoopArg> args, bool writes) {
  const std::vector<const core::Dat*> dats = dats_in_colours(args, writes);
  if (dats.empty()) return "";
  return fmt::format("dat '{}' ({})", dats.front()->name_storage, uses_of(dats.front(), args));
}

bool has_payload(std::span<const core::LoopArg> args) {
  return std::ranges::any_of(args, &core::LoopArg::is_payload);
}

bool has_repeated_targets(std::int64_t iterations, std::span<const RowAccess> accesses) {
  constexpr std::int64_t none_yet = -1;
  std::vector<std::int64_t> visitor;  // of each row: the last iteration that accessed it
  for (const RowAccess& access : accesses)
    if (access.rows > std::ssize(visitor)) visitor.resize(access.rows, none_yet);
  for (std::int64_t element = 0; element < iterations; ++element)
    for (const RowAccess& access : accesses) {
      std::int64_t& last = visitor[access.row_of(element)];
      if (last != none_yet && last != element) return true;
      last = element;
    }
  return false;
}

bool may_meet_out_of_order(const ConflictPattern& pattern) {
  return !std::ranges::all_of(pattern, &SharedDat::any_order);
}

bool meets_out_of_order(const ConflictPattern& pattern, std::int64_t end) {
  return std::ranges::any_of(pattern, [&](const SharedDat& dat) {
    return !dat.any_order && has_repeated_targets(end, dat.accesses);
  });
}

double useful_bytes(const Step& step) {
  struct Use {
    bool reads = false, writes = false;
    double rows = 0;
  };
  std::map<const core::Dat*, Use> uses;
  std::set<const core::Map*> maps;
  for (const auto& [set, args] : step.accesses())
    for (const core::LoopArg& arg : args) {
      if (!arg.active) continue;
      if (arg.is_indirect()) maps.insert(arg.map);
      if (!arg.is_active_dat()) continue;
      Use& use = uses[arg.dat];
      use.reads = use.reads || arg.access != OP_WRITE;
      use.writes = use.writes || arg.modifies();
      use.rows += set->size;  // each argument accesses at most one row per element
    }
  if (step.gathers()) {
    for (const core::Dat* dat : step.gather->zero_initialised) uses[dat].reads = false;
    for (const core::Dat* dat : step.gather->not_stored) uses[dat].writes = false;
  }
  double bytes = 0;
  for (const auto& [dat, use] : uses)
    bytes +=
        std::min<double>(dat->set->size, use.rows) * dat->size * (int{use.reads} + int{use.writes});
  for (const core::Map* map : maps)
    bytes += static_cast<double>(map->from->size) * map->dim * sizeof(std::int32_t);
  return bytes;
}

}  // namespace op2::sched
