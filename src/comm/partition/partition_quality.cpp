// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include <comm/messages/records.hpp>
#include <comm/partition/owner_lookup.hpp>
#include <comm/partition/partition.hpp>

namespace op2::comm {

namespace {

/// Elements of each set that this rank owns. Collective.
std::vector<std::int64_t> owned_counts(Communicator& communicator,
                                       const std::vector<Owners>& owners) {
  const std::size_t sets = owners.size(), ranks = communicator.size();
  std::vector<std::int64_t> declared(ranks * sets);  // by owner and set
  for (std::size_t set = 0; set < sets; ++set)
    for (const std::int32_t owner : owners[set]) ++declared[owner * sets + set];

  std::vector<Message> messages;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto counts = std::span<const std::int64_t>(declared).subspan(rank * sets, sets);
    if (std::any_of(counts.begin(), counts.end(), [](auto count) { return count != 0; }))
      messages.push_back({static_cast<int>(rank), to_bytes(counts)});
  }
  std::vector<std::int64_t> owned(sets);
  for (const Message& message : communicator.exchange(std::move(messages))) {
    const auto counts = from_bytes<std::int64_t>(message.bytes);
    std::transform(counts.begin(), counts.end(), owned.begin(), owned.begin(), std::plus());
  }
  return owned;
}

/// Rows of a map declared here whose source and targets have several owners.
/// Collective.
std::int64_t declared_cut(Communicator& communicator, const BlockMesh& mesh, const BlockMap& map,
                          const std::vector<Owners>& owners) {
  const OwnerLookup lookup(communicator, mesh.sets[map.to], owners[map.to], map.targets);
  auto target = map.targets.begin();
  std::int64_t cut = 0;
  for (const std::int32_t owner : owners[map.from]) {
    const auto end = target + map.arity;
    cut += !std::all_of(target, end, [&](GlobalId id) { return lookup.owner_of(id) == owner; });
    target = end;
  }
  return cut;
}

}  // namespace

PartitionQuality quality_of(Communicator& communicator, const BlockMesh& mesh,
                            const std::vector<Owners>& owners) {
  WordReduction all;
  all.minima = all.maxima = owned_counts(communicator, owners);
  for (const BlockMap& map : mesh.maps)
    all.sums.push_back(declared_cut(communicator, mesh, map, owners));
  communicator.reduce(all, "comparing parts");
  PartitionQuality quality{{}, std::move(all.sums)};
  for (std::size_t set = 0; set < mesh.sets.size(); ++set)
    quality.sets.push_back({mesh.sets[set].size(), all.minima[set], all.maxima[set]});
  return quality;
}

}  // namespace op2::comm
