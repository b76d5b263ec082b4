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

/// A map whose targets are the elements to divide; -1: there is none.
int map_to(const core::RunRecord& record, int set) {
  const core::RecordedPartition& partition = record.partition;
  if (partition.map >= 0 && record.maps[static_cast<std::size_t>(partition.map)].to == set)
    return partition.map;
  const auto map =
      std::ranges::find_if(record.maps, [&](const auto& some) { return some.to == set; });
  return map == record.maps.end() ? -1 : static_cast<int>(map - record.maps.begin());
}

}  // namespace

Parts parts_of(const core::RunRecord& record, const comm::BlockMesh& mesh, int parts) {
  const int set = std::max(record.partition.set, 0);
  if (record.sets.empty()) throw Failure("the mesh has no sets; record another run");
  const core::RecordedSet& primary = record.sets[static_cast<std::size_t>(set)];
  if (parts > primary.size)
    throw Failure(fmt::format("more parts than elements: -P {}, set '{}' has {}; give fewer parts",
                              parts, primary.name, primary.size));
  std::vector<comm::Owners> blocks = in_blocks(mesh, parts);
  const std::string& asked = record.partition.partitioner;
  const auto ranks = comm::make_self_communicator();
  if (asked.empty()) return {std::move(blocks), "blocks, since the program calls no op_partition"};
  std::string how = fmt::format("{} of set '{}'", asked, primary.name);
  if (asked == "random") {
    blocks[static_cast<std::size_t>(set)] =
        comm::random_owners(mesh.sets[static_cast<std::size_t>(set)], 0, parts);
  } else if (const int map = map_to(record, set); asked != "block" && map >= 0) {
    std::optional<comm::Owners> owners = comm::serial_kway_owners(mesh, map, parts);
    if (!owners) throw Failure("a cut needs Scotch, which is not built in; build with Scotch");
    blocks[static_cast<std::size_t>(set)] = std::move(*owners);
    how = fmt::format("Scotch k-way of set '{}' by map '{}'", primary.name,
                      record.maps[static_cast<std::size_t>(map)].name);
  }
  return {comm::inherit_owners(*ranks, mesh, set, std::move(blocks)), std::move(how)};
}

}  // namespace op2::model
