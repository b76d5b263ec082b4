// SPDX-License-Identifier: BSD-3-Clause
#include <comm/partition/partition.hpp>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include <comm/messages/agreement.hpp>
#include <comm/messages/records.hpp>
#include <comm/partition/rendezvous.hpp>
#include <core/arithmetic.hpp>
#include <core/error.hpp>

namespace op2::comm {

namespace {

std::optional<Owners> by_kway(const PartitionTask& task, std::string& reason) {
  return kway_owners(task.communicator, task.mesh, task.map, task.threads_allowed, reason);
}

std::optional<Owners> by_bisection(const PartitionTask& task, std::string&) {
  return rcb_owners(task.communicator, task.blocks(), task.coordinates, task.dim);
}

std::optional<Owners> by_blocks(const PartitionTask& task, std::string&) {
  return block_owners(task.blocks(), task.communicator.rank());
}

std::optional<Owners> by_hash(const PartitionTask& task, std::string&) {
  return random_owners(task.blocks(), task.communicator.rank(), task.communicator.size());
}

std::optional<Owners> by_program(const PartitionTask& task, std::string&) {
  return given_owners(task.communicator, task.blocks(), task.ranks, task.values_name);
}

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
  const ValueLookup<std::int32_t> lookup(communicator, mesh.sets[map.to], targets, map.targets);
  const std::size_t arity = map.arity;
  const Blocks& set = mesh.sets[map.from];
  GlobalId id = set.begin[communicator.rank()];
  Owners owners, votes(arity);
  owners.reserve(map.targets.size() / arity);
  for (std::size_t entry = 0; entry < map.targets.size(); entry += arity) {
    std::ranges::transform(std::span(map.targets).subspan(entry, arity), votes.begin(),
                           [&](GlobalId target) { return lookup.value_of(target); });
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
  const ValueLookup<std::int32_t> lookup(communicator, mesh.sets[map.to], owners[map.to],
                                         map.targets);
  auto target = map.targets.begin();
  std::int64_t cut = 0;
  for (const std::int32_t owner : owners[map.from]) {
    const auto end = target + map.arity;
    cut += !std::all_of(target, end, [&](GlobalId id) { return lookup.value_of(id) == owner; });
    target = end;
  }
  return cut;
}

void introduce(GlobalId a, GlobalId b, Rendezvous<GlobalId>& rendezvous) {
  if (a == b) return;
  rendezvous.send(a, b);
  rendezvous.send(b, a);
}

}  // namespace

Partitioners library_partitioners() {
  return {{"ptscotch", "PT-Scotch k-way", PartitionInput::map, by_kway},
          {"rcb", "coordinate bisection", PartitionInput::coordinates, by_bisection},
          {"block", "blocks", PartitionInput::nothing, by_blocks},
          {"random", "random", PartitionInput::nothing, by_hash},
          {"external", "external", PartitionInput::ranks, by_program}};
}

const Partitioner* find_partitioner(const Partitioners& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Partitioner::name);
  return found == all.end() ? nullptr : &*found;
}

std::string names_of(const Partitioners& all) {
  std::string text;
  for (std::size_t k = 0; k < all.size(); ++k)
    text += (k == 0 ? "" : k + 1 == all.size() ? " or " : ", ") + all[k].name;
  return text;
}

Owners block_owners(const Blocks& set, int rank) {
  return Owners(set.count(rank), rank);
}

Owners random_owners(const Blocks& set, int rank, int ranks) {
  Owners owners(set.count(rank));
  GlobalId id = set.begin[rank];
  for (std::int32_t& owner : owners)
    owner = static_cast<std::int32_t>(core::splitmix64(id++) % static_cast<std::uint64_t>(ranks));
  return owners;
}

Owners given_owners(Communicator& communicator, const Blocks& set,
                    std::span<const std::int32_t> ranks, std::string_view name) {
  const auto check = [&] {
    for (std::size_t k = 0; k < ranks.size(); ++k)
      if (ranks[k] < 0 || ranks[k] >= communicator.size())
        core::fail(ErrorCode::bad_range,
                   "a rank is out of range: op_partition, dat '{}'[{}] = {}, not in [0, {}); give "
                   "every element a rank of the job",
                   name, set.begin[communicator.rank()] + static_cast<std::int64_t>(k), ranks[k],
                   communicator.size());
  };
  do_together(communicator, "op_partition", check);
  return {ranks.begin(), ranks.end()};
}

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

Ragged<GlobalId> dual_graph(Communicator& communicator, const BlockMesh& mesh,
                            const BlockMap& map) {
  Rendezvous<GlobalId> rendezvous(communicator, mesh.sets[map.to]);
  const std::size_t arity = map.arity;
  const std::span<const GlobalId> targets = map.targets;
  const GlobalId first = mesh.sets[map.from].begin[communicator.rank()];
  for (std::size_t entry = 0; entry < targets.size(); entry += arity)
    for (std::size_t k = entry; k < entry + arity; ++k) {
      for (std::size_t other = entry; other < k; ++other)
        introduce(targets[other], targets[k], rendezvous);
      if (map.from == map.to)
        introduce(first + static_cast<GlobalId>(entry / arity), targets[k], rendezvous);
    }
  Ragged<GlobalId> graph = rendezvous.deliver(communicator);
  sort_and_unite(graph);
  return graph;
}

}  // namespace op2::comm
