// SPDX-License-Identifier: BSD-3-Clause
#include "schedules.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace op2::model {
namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

/// The greatest of all ranks, number by number.
void raise(std::vector<double>& most, const std::vector<double>& mine) {
  most.resize(std::max(most.size(), mine.size()), 0);
  for (std::size_t k = 0; k < mine.size(); ++k) most[k] = std::max(most[k], mine[k]);
}

/// The sizes of one set on one rank. A rank sends about as much as it receives.
sched::SetSizes sizes_of(const RankHalo& halo, std::size_t set, core::Level level) {
  sched::SetSizes sizes;
  sizes.within.assign(halo.within[set].begin(), halo.within[set].end());
  sizes.received.resize(at(level), 0);
  sizes.neighbours.resize(at(level), 0);
  for (const Imports& imports : halo.imports) {
    bool seen = false;
    for (std::size_t h = 0; h < at(level); ++h) {
      sizes.received[h] += imports.rows[set][h];
      seen = seen || imports.rows[set][h] > 0;
      sizes.neighbours[h] += seen ? 1 : 0;
    }
  }
  sizes.sent = sizes.received;
  return sizes;
}

sched::HaloSizes largest(const Cut& cut, const Machine& machine) {
  sched::HaloSizes all;
  all.sets.resize(cut.sets);
  double pairs = 0, near = 0;
  for (int rank = 0; rank < cut.parts; ++rank) {
    const RankHalo& halo = cut.ranks[at(rank)];
    for (std::size_t set = 0; set < cut.sets; ++set) {
      const sched::SetSizes mine = sizes_of(halo, set, cut.level);
      raise(all.sets[set].within, mine.within);
      raise(all.sets[set].sent, mine.sent);
      raise(all.sets[set].received, mine.received);
      raise(all.sets[set].neighbours, mine.neighbours);
    }
    for (const Imports& imports : halo.imports) {
      ++pairs;
      near += machine.on_one_node(imports.rank, rank) ? 1 : 0;
    }
  }
  all.on_node = pairs > 0 ? near / pairs : 1;
  return all;
}

sched::Network network_of(const Machine& machine) {
  const auto link = [&](const Link& of) {
    return sched::Link{of.overhead * machine.messages_per_neighbour, of.latency,
                       of.seconds_per_byte};
  };
  sched::Network network;
  network.links = {link(machine.on_node), link(machine.across)};
  network.packed_row = machine.pack_row;
  network.received_byte = machine.unpack_byte;
  return network;
}

/// Of each loop, at the mean size of a part.
std::vector<sched::LoopCost> costs_of(const core::RunRecord& record, std::size_t sequence,
                                      const Cut& cut, const Costs& costs) {
  const double bytes = mean_working_bytes(record, cut.parts);
  std::vector<sched::LoopCost> all;
  for (const core::RecordedLoop& loop : record.sequences[sequence]) {
    sched::LoopCost& cost = all.emplace_back();
    if (loop.set < 0) continue;
    const double alone = costs.of({loop.name}, 0, bytes);
    const double tiled = costs.of({loop.name}, 1, bytes);
    cost.seconds = {alone, tiled, tiled};
  }
  return all;
}

}  // namespace

std::vector<std::vector<Schedule>> schedules_of(const Program& program, const Cut& cut,
                                                const Machine& machine, const Costs& costs) {
  using Kind = Schedule::Kind;
  const core::RunRecord& record = program.record();
  const std::vector<Schedule> both{{Kind::off, {}}, {Kind::on, {}}};
  std::vector<std::vector<Schedule>> all(record.sequences.size(), both);
  if (cut.parts == 1) return all;
  const sched::HaloSizes sizes = largest(cut, machine);
  const sched::Network network = network_of(machine);
  const std::vector<core::Level> valid(record.dats.size(), 0);
  for (std::size_t sequence = 0; sequence < all.size(); ++sequence) {
    const std::vector<sched::LoopCost> loops = costs_of(record, sequence, cut, costs);
    for (sched::Candidate& found : sched::find_candidates(
             {program.queue(sequence), {valid}, program.limits(), sizes, {loops, network}}))
      if (found.schedule.kind == Kind::cuts) all[sequence].push_back(std::move(found.schedule));
  }
  return all;
}

}  // namespace op2::model
