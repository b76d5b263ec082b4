// SPDX-License-Identifier: BSD-3-Clause
// What the policy counts with, before it decides for a sequence: costs, halo sizes and messages, as
// all ranks agree on them, and what they show about tiles.
#include <sched/policy/chain_policy.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <core/text.hpp>
#include <sched/loop_requests.hpp>
#include <sched/policy/network_probe.hpp>

namespace op2::sched {
namespace {

/// A schedule needs one from the halos that another one has left, and one from those that it
/// leaves.
constexpr int plans_of_schedule = 2;

/// Executions of a sequence before it is decided with the costs that it has shown itself; the first
/// has cold caches. With those of earlier sessions it is decided after one.
constexpr int flushes_to_learn = 2;

/// The first loop without a cost; null if there is none.
const core::LoopRecord* first_unknown(const core::Queue& queue,
                                      const std::vector<LoopCost>& costs) {
  const auto records = queue.records();
  for (std::size_t k = 0; k < records.size(); ++k)
    if (!records[k].is_assignment() && !costs[k].is_known()) return &records[k];
  return nullptr;
}

}  // namespace

/// Nothing: it is not decided before this execution. Collective in some, the same on all ranks.
ChainPolicy::Inputs ChainPolicy::inputs_for(const Sequence& sequence, const PackTimes& packing) {
  if (!sequence.queue || !rows_.has_halo_plan()) return std::nullopt;
  const std::int64_t before = sequence.flushes - 1;
  if (before >= flushes_to_learn) return measured_inputs(sequence, packing);
  return is_kept_ ? kept_inputs(sequence, packing) : std::nullopt;
}

/// If earlier sessions have left all costs. Collective: one reduction.
ChainPolicy::Inputs ChainPolicy::kept_inputs(const Sequence& sequence, const PackTimes& packing) {
  PolicyInputs inputs = agreed(sequence, CostBook::Sessions::earlier, packing);
  is_kept_ = inputs.network.is_known();
  if (!is_kept_ || first_unknown(*sequence.queue, inputs.costs)) return std::nullopt;
  return inputs;
}

/// If the cost of every loop was measured. Collective: one reduction; if messages are measured,
/// two.
ChainPolicy::Inputs ChainPolicy::measured_inputs(const Sequence& sequence,
                                                 const PackTimes& packing) {
  PolicyInputs inputs = agreed(sequence, CostBook::Sessions::all, packing);
  if (!inputs.network.is_known()) {
    network_ = measure_network(rows_.communicator(), neighbours_of(rows_.halo_plan()));
    inputs = agreed(sequence, CostBook::Sessions::all, packing);
    const Link& link = network_.at(Distance::on_node);
    log_.info(
        fmt::format("OP2_CHAIN=auto: a message between neighbours was measured: latency "
                    "{:.2f} us, {:.2f} us of work at each end, {:.3f} ns for a byte",
                    1e6 * link.latency, 1e6 * link.overhead, 1e9 * link.seconds_per_byte));
  }
  const core::LoopRecord* const unknown_loop = first_unknown(*sequence.queue, inputs.costs);
  if (unknown_loop == nullptr) return inputs;
  if (sequence.flushes - 1 > flushes_to_learn) return std::nullopt;  // and it was said
  const std::string as_off = fmt::format(
      "as with OP2_CHAIN=off, because no cost of {} was measured", named_with_site(*unknown_loop));
  log_.info(fmt::format("OP2_CHAIN=auto: {} run {}", core::counted(sequence.queue->size(), "loop"),
                        as_off));
  say(sequence, as_off);
  return std::nullopt;
}

/// Of this rank.
PolicyInputs ChainPolicy::own_inputs(const Sequence& sequence, CostBook::Sessions sessions,
                                     const PackTimes& packing) const {
  return {costs_.costs_of(*sequence.queue, sessions, sequence.inputs.costs),
          network_of_rank(packing),
          plans_of_schedule * sequence.plan_seconds + sequence.repeat_seconds,
          sizes_.of(rows_),
          caches_,
          threads_};
}

PolicyInputs ChainPolicy::agreed(const Sequence& sequence, CostBook::Sessions sessions,
                                 const PackTimes& packing) {
  PolicyInputs inputs = own_inputs(sequence, sessions, packing);
  agree(rows_.communicator(), inputs);
  sizes_.keep(inputs.of_rows);
  know_empty_loops(*sequence.queue, inputs);
  network_ = inputs.network;
  return inputs;
}

/// Packing is what exchanges have taken so far, less the sending; unpacking, what it has taken.
Network ChainPolicy::network_of_rank(const PackTimes& packing) const {
  Network network = network_;
  const double sending = packing.messages * network.at(Distance::on_node).overhead;
  if (network.is_known() && packing.rows > 0)
    network.packed_row = std::max(0.0, packing.seconds - sending) / packing.rows;
  if (network.is_known() && packing.bytes_received > 0)
    network.received_byte = packing.unpacking_seconds / packing.bytes_received;
  return network;
}

/// What those tiles have spared whose costs are known: of the schedules that were measured; before
/// any was, of `off`, if it has run so often that its tiles were made. Of loops that had none
/// there, whose costs are of earlier sessions: of the longest chains.
void ChainPolicy::note_savings(Sequence& sequence) {
  std::vector<double> most(sequence.queue->size());
  const auto note = [](const FlushWork& work, std::vector<double>& spared) {
    for (const ChainWork& chain : work.chains)
      for (const LoopWork& loop : chain.loops)
        spared[loop.loop] = std::max(spared[loop.loop], loop.spared);
  };
  for (std::size_t k = 0; k < sequence.schedules.size(); ++k)
    if (sequence.trials->measured(k)) note(sequence.schedules[k].work, most);
  if (!sequence.trials && sequence.learning >= flushes_to_learn)
    note(candidate_of({Schedule::Kind::off, {}}, inputs_of(sequence)).work, most);
  std::vector<double> longest(most.size());
  note(candidate_of({Schedule::Kind::on, {}}, inputs_of(sequence)).work, longest);
  for (std::size_t k = 0; k < most.size(); ++k)
    sequence.inputs.costs[k].most_spared = most[k] > 0 ? most[k] : longest[k];
}

/// With costs of all flushes so far: loops that should have run in tiles in a schedule that was
/// measured, and that have no cost in tiles, gain nothing by them, in any schedule.
void ChainPolicy::correct_forecast(Sequence& sequence) {
  for (std::size_t k = 0; k < sequence.schedules.size(); ++k) {
    if (!sequence.trials->measured(k)) continue;
    for (const ChainWork& chain : sequence.schedules[k].work.chains)
      for (const LoopWork& loop : chain.loops) {
        LoopCost& cost = sequence.inputs.costs[loop.loop];
        if (loop.way == Way::tiled && !cost.is_known(Way::tiled))
          cost.seconds[static_cast<std::size_t>(Way::tiled)] = cost.in(loop.untiled);
      }
  }
}

}  // namespace op2::sched
