// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <span>
#include <utility>

#include <comm/partition/owner_lookup.hpp>
#include <comm/partition/partition.hpp>
#include <comm/partition/rendezvous.hpp>
#include <core/arithmetic.hpp>

namespace op2::comm {

namespace {

/// A set gets its owners from the set at the other end of a map.
struct Step {
  const BlockMap* map;
  bool from_targets;  ///< sources get their owners from targets; otherwise targets from sources
  int set() const { return from_targets ? map->from : map->to; }
};

/// Breadth first from `primary`, so that every set inherits over as few maps as possible.
std::vector<Step> steps_from(const BlockMesh& mesh, int primary) {
  std::vector<bool> reached(mesh.sets.size());
  reached[primary] = true;
  std::vector<Step> steps, round;
  do {
    round.clear();
    const std::vector<bool> before = reached;
    for (const BlockMap& map : mesh.maps) {
      if (before[map.from] == before[map.to]) continue;
      const Step step{&map, before[map.to]};
      if (reached[step.set()]) continue;
      reached[step.set()] = true;
      round.push_back(step);
    }
    steps.insert(steps.end(), round.begin(), round.end());
  } while (!round.empty());
  return steps;
}

/// The most frequent vote; ties are broken by the global index.
/// @param votes  at least one; sorted afterwards
std::int32_t elected(std::span<std::int32_t> votes, GlobalId id) {
  std::sort(votes.begin(), votes.end());
  std::ptrdiff_t most = 0;
  std::uint64_t winners = 0;
  const auto for_each_candidate = [&](auto&& visit) {
    for (auto from = votes.begin(); from != votes.end();) {
      const auto to = std::upper_bound(from, votes.end(), *from);
      visit(*from, to - from);
      from = to;
    }
  };
  for_each_candidate([&](std::int32_t, std::ptrdiff_t count) {
    winners = count > most ? 1 : winners + (count == most);
    most = std::max(most, count);
  });
  std::uint64_t before = winners == 1 ? 0 : core::splitmix64(id) % winners;
  std::int32_t result = -1;
  for_each_candidate([&](std::int32_t owner, std::ptrdiff_t count) {
    if (count == most && before-- == 0) result = owner;
  });
  return result;
}

Owners owners_from_targets(Communicator& communicator, const BlockMesh& mesh, const BlockMap& map,
                           const Owners& targets) {
  const OwnerLookup lookup(communicator, mesh.sets[map.to], targets, map.targets);
  const std::size_t arity = map.arity;
  const Blocks& set = mesh.sets[map.from];
  GlobalId id = set.begin[communicator.rank()];
  Owners owners, votes(arity);
  owners.reserve(map.targets.size() / arity);
  for (std::size_t entry = 0; entry < map.targets.size(); entry += arity) {
    std::ranges::transform(std::span(map.targets).subspan(entry, arity), votes.begin(),
                           [&](GlobalId target) { return lookup.owner_of(target); });
    owners.push_back(elected(votes, id++));
  }
  return owners;
}

/// @param owners  of elements that no source is mapped to
Owners owners_from_sources(Communicator& communicator, const BlockMesh& mesh, const BlockMap& map,
                           const Owners& sources, Owners owners) {
  const Blocks& set = mesh.sets[map.to];
  Rendezvous<std::int32_t> rendezvous(communicator, set);
  for (std::size_t entry = 0; entry < map.targets.size(); ++entry)
    rendezvous.send(map.targets[entry], sources[entry / map.arity]);
  Ragged<std::int32_t> votes = rendezvous.deliver(communicator);

  const GlobalId begin = set.begin[communicator.rank()];
  for (std::size_t i = 0; i < owners.size(); ++i)
    if (!votes.row(i).empty()) owners[i] = elected(votes.row(i), begin + static_cast<GlobalId>(i));
  return owners;
}

}  // namespace

std::vector<Owners> inherit_owners(Communicator& communicator, const BlockMesh& mesh, int primary,
                                   Owners owners) {
  std::vector<Owners> declared;
  declared.reserve(mesh.sets.size());
  for (const Blocks& set : mesh.sets) declared.push_back(block_owners(set, communicator.rank()));
  declared[primary] = std::move(owners);
  return inherit_owners(communicator, mesh, primary, std::move(declared));
}

std::vector<Owners> inherit_owners(Communicator& communicator, const BlockMesh& mesh, int primary,
                                   std::vector<Owners> owners) {
  for (const Step& step : steps_from(mesh, primary)) {
    const BlockMap& map = *step.map;
    Owners& set = owners[step.set()];
    set = step.from_targets
              ? owners_from_targets(communicator, mesh, map, owners[map.to])
              : owners_from_sources(communicator, mesh, map, owners[map.from], std::move(set));
  }
  return owners;
}

}  // namespace op2::comm
