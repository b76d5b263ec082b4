// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <comm/halo/halo_plan.hpp>
#include <comm/messages/communicator.hpp>
#include <core/inverse_map.hpp>

#include "cut.hpp"
#include "files.hpp"

namespace op2::model {
namespace {

using comm::BlockMap;
using comm::GlobalId;
using core::Level;

template <class T>
std::size_t at(T index) {
  return static_cast<std::size_t>(index);
}

/// A map and its inverse.
struct Relation {
  std::size_t from, to, arity;
  std::span<const GlobalId> targets;  ///< shape [elements of `from` x arity]
  core::InverseMap<GlobalId, std::size_t> inverse;

  std::span<const GlobalId> targets_of(GlobalId source) const {
    return targets.subspan(at(source) * arity, arity);
  }
  std::span<const GlobalId> sources_of(GlobalId target) const {
    return inverse.sources_of(at(target));
  }
};

Relation relation_of(const comm::BlockMesh& mesh, const BlockMap& map) {
  const std::size_t arity = at(map.arity);
  return {
      at(map.from), at(map.to), arity, map.targets,
      core::invert<GlobalId, std::size_t>(at(mesh.sets[at(map.to)].size()), [&](const auto& add) {
        for (std::size_t k = 0; k < map.targets.size(); ++k)
          add(map.targets[k], static_cast<GlobalId>(k / arity));
      })};
}

using Depths = std::vector<std::vector<std::int8_t>>;  ///< [set][element]

/// Element e is in W_-h of its owner if its depth is greater than h. Odd levels lose iterations
/// with a target outside the level before or of another rank; even ones what such iterations
/// access.
void lose(const Relation& r, const std::vector<comm::Owners>& owners, std::int8_t h,
          Depths& depths) {
  auto& from = depths[r.from];
  auto& to = depths[r.to];
  for (std::size_t source = 0; source < from.size(); ++source) {
    const std::int32_t owner = owners[r.from][source];
    for (const GlobalId target : r.targets_of(static_cast<GlobalId>(source))) {
      const bool remote = owners[r.to][at(target)] != owner;
      if (h % 2 != 0 && from[source] > h && (remote || to[at(target)] < h)) from[source] = h;
      if (h % 2 == 0 && to[at(target)] > h && from[source] < h) to[at(target)] = h;
    }
  }
}

/// 1 - deepest for all elements that are deeper.
Depths depths_of(const std::vector<Relation>& relations, const std::vector<comm::Owners>& owners,
                 Level deepest) {
  const auto end = static_cast<std::int8_t>(1 - deepest);
  Depths depths;
  for (const comm::Owners& set : owners) depths.emplace_back(set.size(), end);
  for (std::int8_t h = 1; h < end; ++h)
    for (const Relation& r : relations) lose(r, owners, h, depths);
  return depths;
}

std::vector<Relation> relations_of(const comm::BlockMesh& mesh) {
  std::vector<Relation> relations;
  for (const BlockMap& map : mesh.maps) relations.push_back(relation_of(mesh, map));
  return relations;
}

using Elements = std::vector<std::vector<GlobalId>>;  ///< of each set

/// Finds the levels of one rank after the other; marks what a rank has with its number.
class LevelSearch {
 public:
  LevelSearch(const std::vector<Relation>& relations, const std::vector<comm::Owners>& owners)
      : relations_(relations), owners_(owners) {
    for (const comm::Owners& set : owners) has_.emplace_back(set.size(), -1);
  }

  /// Appends the levels 1 up to `level` to `halo`.
  void grow(int rank, const Elements& owned, Level level, RankHalo& halo) {
    std::map<int, std::vector<std::vector<std::int32_t>>> imports;
    for (std::size_t set = 0; set < owned.size(); ++set)
      for (const GlobalId element : owned[set]) has_[set][at(element)] = rank;
    // What came at the last two levels: all earlier rows have led to theirs already.
    std::array<Elements, 2> last{owned, Elements(owned.size())};
    for (Level h = 1; h <= level; ++h) {
      Elements fresh(owned.size());
      for (const Elements& elements : last) expand(rank, h, elements, fresh);
      for (std::size_t set = 0; set < fresh.size(); ++set) {
        halo.within[set].push_back(halo.within[set].back() +
                                   static_cast<std::int32_t>(fresh[set].size()));
        for (const GlobalId element : fresh[set]) {
          auto& rows = imports[owners_[set][at(element)]];
          rows.resize(owned.size(), std::vector<std::int32_t>(at(level), 0));
          ++rows[set][at(h - 1)];
        }
      }
      last[1] = std::exchange(last[0], std::move(fresh));
    }
    for (auto& [owner, rows] : imports) halo.imports.push_back({owner, std::move(rows)});
  }

 private:
  /// Odd levels gain the iterations that access `elements`, even ones what these access.
  void expand(int rank, Level h, const Elements& elements, Elements& fresh) {
    for (const Relation& r : relations_) {
      const bool odd = h % 2 != 0;
      const std::size_t gains = odd ? r.from : r.to;
      for (const GlobalId element : elements[odd ? r.to : r.from])
        for (const GlobalId found : odd ? r.sources_of(element) : r.targets_of(element)) {
          if (std::exchange(has_[gains][at(found)], rank) != rank) fresh[gains].push_back(found);
        }
    }
  }

  const std::vector<Relation>& relations_;
  const std::vector<comm::Owners>& owners_;
  std::vector<std::vector<std::int32_t>> has_;  ///< [set][element]: the last rank that has it
};

/// Rows of W_h for h up to 0.
std::vector<std::int32_t> owned_levels(const std::vector<GlobalId>& owned,
                                       const std::vector<std::int8_t>& depths) {
  std::vector<std::int32_t> within(at(1 - core::deepest_tracked), 0);
  for (const GlobalId element : owned)
    for (Level h = 0; h < depths[at(element)]; ++h) ++within[at(-core::deepest_tracked - h)];
  return within;
}

/// As if each rank had declared a block.
std::vector<comm::Owners> in_blocks(const comm::BlockMesh& mesh, int parts) {
  std::vector<comm::Owners> all;
  for (const comm::Blocks& set : mesh.sets) {
    const comm::Blocks blocks = comm::equal_blocks(set.size(), parts);
    comm::Owners& owners = all.emplace_back();
    for (int rank = 0; rank < parts; ++rank)
      owners.insert(owners.end(), static_cast<std::size_t>(blocks.count(rank)), rank);
  }
  return all;
}

/// A map by which Scotch divides the targets: the one that op_partition was given, or the largest
/// one to the set that shows neighbours, or the largest one from it, whose targets it then follows;
/// -1: there is none.
int map_to_cut_by(const core::RunRecord& record, int set) {
  const core::RecordedPartition& partition = record.partition;
  if (partition.map >= 0 && record.maps[static_cast<std::size_t>(partition.map)].to == set)
    return partition.map;
  for (const auto end : {&core::RecordedMap::to, &core::RecordedMap::from}) {
    const auto entries = [&](const core::RecordedMap& map) {
      const bool shows_neighbours = map.*end == set && map.arity > 1;
      return shows_neighbours ? record.sets[static_cast<std::size_t>(map.from)].size * map.arity
                              : std::int64_t{-1};
    };
    const auto largest = std::ranges::max_element(record.maps, {}, entries);
    if (largest != record.maps.end() && entries(*largest) >= 0)
      return static_cast<int>(largest - record.maps.begin());
  }
  return -1;
}

void refuse_more_parts_than(const core::RecordedSet& set, int parts) {
  if (parts > set.size)
    throw Failure(fmt::format("more parts than elements: -P {}, set '{}' has {}; give fewer parts",
                              parts, set.name, set.size));
}

/// The map by which Scotch divides its targets; -1: there is none, or another way was asked for.
int map_of_cut(const core::RunRecord& record) {
  const std::string& asked = record.partition.partitioner;
  if (asked.empty() || asked == "random" || asked == "block") return -1;
  return map_to_cut_by(record, set_to_divide(record));
}

/// Of the targets of a map.
comm::Owners owners_by_map(const comm::BlockMesh& mesh, int map, int parts) {
  std::optional<comm::Owners> owners = comm::serial_kway_owners(mesh, map, parts);
  if (!owners) throw Failure("a cut needs Scotch, which is not built in; build with Scotch");
  return std::move(*owners);
}

}  // namespace

core::Level level_limit(const comm::BlockMesh& mesh, const std::vector<comm::Owners>& owners,
                        int parts) {
  const Depths depths = depths_of(relations_of(mesh), owners, core::shallowest_tracked);
  std::vector<std::int64_t> elements(at(parts), 0), outermost(at(parts), 0);
  for (std::size_t set = 0; set < owners.size(); ++set)
    for (std::size_t element = 0; element < owners[set].size(); ++element) {
      const std::size_t part = at(owners[set][element]);
      ++elements[part];
      if (depths[set][element] <= 2) ++outermost[part];
    }
  for (std::size_t part = 0; part < at(parts); ++part)
    if (!comm::is_large_part(elements[part], outermost[part])) return core::deepest_of_small_parts;
  return core::deepest_tracked;
}

std::vector<RankHalo> halo_sizes(const comm::BlockMesh& mesh,
                                 const std::vector<comm::Owners>& owners, int parts,
                                 core::Level level) {
  const std::vector<Relation> relations = relations_of(mesh);
  const Depths depths = depths_of(relations, owners, level_limit(mesh, owners, parts));
  std::vector<Elements> owned(at(parts), Elements(owners.size()));
  for (std::size_t set = 0; set < owners.size(); ++set)
    for (std::size_t element = 0; element < owners[set].size(); ++element)
      owned[at(owners[set][element])][set].push_back(static_cast<GlobalId>(element));
  LevelSearch search(relations, owners);
  std::vector<RankHalo> halos(at(parts));
  for (int rank = 0; rank < parts; ++rank) {
    RankHalo& halo = halos[at(rank)];
    for (std::size_t set = 0; set < owners.size(); ++set)
      halo.within.push_back(owned_levels(owned[at(rank)][set], depths[set]));
    search.grow(rank, owned[at(rank)], level, halo);
  }
  return halos;
}

std::vector<char> sets_with_local_map(const comm::BlockMesh& mesh,
                                      const std::vector<comm::Owners>& owners) {
  comm::HaloPlan plan{0, 0, std::vector<comm::IndexMap>(mesh.sets.size()), {}};
  for (const BlockMap& map : mesh.maps) {
    comm::LocalMap& made = plan.maps.emplace_back();
    made.from = map.from, made.to = map.to, made.arity = map.arity;
    const comm::Owners &from = owners[at(map.from)], &to = owners[at(map.to)];
    for (std::size_t k = 0; k < map.targets.size() && made.remote_targets.empty(); ++k)
      if (from[k / at(map.arity)] != to[at(map.targets[k])])
        made.remote_targets.push_back({map.targets[k], to[at(map.targets[k])]});
  }
  const auto alone = comm::make_self_communicator();
  comm::find_local_maps(*alone, plan);
  std::vector<char> local;
  for (const comm::IndexMap& set : plan.sets) local.push_back(set.layout.local_map ? 1 : 0);
  return local;
}

int set_to_divide(const core::RunRecord& record) {
  if (record.sets.empty()) throw Failure("the mesh has no sets; record another run");
  if (record.partition.set >= 0) return record.partition.set;
  return static_cast<int>(std::ranges::max_element(record.sets, {}, &core::RecordedSet::size) -
                          record.sets.begin());
}

void check_parts(const core::RunRecord& record, int parts) {
  refuse_more_parts_than(record.sets[static_cast<std::size_t>(set_to_divide(record))], parts);
  if (const int map = map_of_cut(record); map >= 0)
    refuse_more_parts_than(
        record.sets[static_cast<std::size_t>(record.maps[static_cast<std::size_t>(map)].to)],
        parts);
}

Parts parts_of(const core::RunRecord& record, const comm::BlockMesh& mesh, int parts) {
  const int set = set_to_divide(record);
  const core::RecordedSet& divided = record.sets[static_cast<std::size_t>(set)];
  check_parts(record, parts);
  std::vector<comm::Owners> owners = in_blocks(mesh, parts);
  const std::string& asked = record.partition.partitioner;
  if (asked.empty()) return {std::move(owners), "blocks, since the program calls no op_partition"};
  int first = set;  // whose owners the others follow
  std::string how = fmt::format("{} of set '{}'", asked, divided.name);
  if (asked == "random") {
    owners[static_cast<std::size_t>(set)] =
        comm::random_owners(mesh.sets[static_cast<std::size_t>(set)], 0, parts);
  } else if (const int map = map_of_cut(record); map >= 0) {
    first = record.maps[static_cast<std::size_t>(map)].to;
    owners[static_cast<std::size_t>(first)] = owners_by_map(mesh, map, parts);
    how = fmt::format("Scotch k-way of set '{}' by map '{}'",
                      record.sets[static_cast<std::size_t>(first)].name,
                      record.maps[static_cast<std::size_t>(map)].name);
    if (first != set) how += fmt::format(", which set '{}' follows", divided.name);
  } else if (asked != "block") {
    how =
        fmt::format("block of set '{}', because no map shows which of its elements are neighbours",
                    divided.name);
  }
  const auto ranks = comm::make_self_communicator();
  return {comm::inherit_owners(*ranks, mesh, first, std::move(owners)), std::move(how)};
}

}  // namespace op2::model
