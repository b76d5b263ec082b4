// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/agreement.hpp>

#include <cmath>
#include <cstdint>

namespace op2::sched {
namespace {

constexpr double per_second = 1e15;  // femtoseconds: an iteration may take less than a nanosecond
constexpr std::int64_t measured = std::int64_t{1} << 62;  // above all words of times

/// Every number of the network.
template <class Visit>
void for_each(Network& network, const Visit& visit) {
  for (Link& link : network.links) {
    visit(link.overhead);
    visit(link.latency);
    visit(link.seconds_per_byte);
  }
  visit(network.packed_row);
  visit(network.received_byte);
}

/// Calls `visit(seconds, is_measured)` for each loop and way.
template <class Visit>
void for_each_cost(PolicyInputs& inputs, const Visit& visit) {
  for (LoopCost& cost : inputs.costs)
    for (std::size_t way = 0; way < core::ways; ++way)
      visit(cost.seconds[way], cost.is_measured[way]);
}

/// Every other time, in the order of the words.
template <class Visit>
void for_each_time(PolicyInputs& inputs, const Visit& visit) {
  for_each(inputs.network, visit);
  visit(inputs.plan_seconds);
}

}  // namespace

RankSizes AgreedSizes::of(const comm::DistributedMesh& rows) const {
  RankSizes made{sizes_of(rows.halo_plan()), rows.arrangement()};
  if (made.arrangement == last_.arrangement) made.agreed = made.sizes.take_levels_of(last_.sizes);
  return made;
}

std::int64_t to_word(double seconds) {
  constexpr double most = 4e3;  // more than an hour, and less than `measured`
  return seconds < 0 ? -1 : std::llround(per_second * std::fmin(seconds, most));
}

double from_word(std::int64_t word) {
  return word < 0 ? -1 : static_cast<double>(word) / per_second;
}

void know_empty_loops(const core::Queue& queue, PolicyInputs& inputs) {
  const auto records = queue.records();
  for (std::size_t k = 0; k < records.size(); ++k) {
    if (records[k].is_assignment() || inputs.costs[k].is_known()) continue;
    const auto set = static_cast<std::size_t>(records[k].set->index);
    if (inputs.of_rows.sizes.sets[set].rows_within(0) == 0) inputs.costs[k].seconds.front() = 0;
  }
}

std::vector<std::int64_t> words_of(PolicyInputs& inputs) {
  std::vector<std::int64_t> words = inputs.of_rows.sizes.words(inputs.of_rows.agreed);
  for_each_cost(inputs, [&](double seconds, bool is_measured) {
    words.push_back(to_word(seconds) + (is_measured ? measured : 0));
  });
  for_each_time(inputs, [&](double seconds) { words.push_back(to_word(seconds)); });
  for (const std::int64_t count :
       {inputs.caches.own, inputs.caches.shared, std::int64_t{inputs.threads}})
    words.push_back(count);
  return words;
}

void take(std::span<const std::int64_t> words, PolicyInputs& inputs) {
  auto next = words.begin();
  inputs.of_rows.sizes.take(next, inputs.of_rows.agreed);
  for_each_cost(inputs, [&](double& seconds, bool& is_measured) {
    const std::int64_t word = *next++;
    is_measured = word >= measured;
    seconds = from_word(is_measured ? word - measured : word);
  });
  for_each_time(inputs, [&](double& seconds) { seconds = from_word(*next++); });
  inputs.caches = {next[0], next[1]};
  inputs.threads = static_cast<int>(next[2]);
}

void agree(comm::Communicator& ranks, PolicyInputs& inputs) {
  comm::WordReduction words{{}, {}, words_of(inputs)};
  ranks.reduce(words, "agreeing on the costs of a sequence of loops");
  take(words.maxima, inputs);
}

}  // namespace op2::sched
