// SPDX-License-Identifier: BSD-3-Clause
#include "parts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <comm/messages/communicator.hpp>

#include "failure.hpp"

namespace op2::model {
namespace {

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
