// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/agreement.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <set>

namespace op2::sched {
namespace {

constexpr double per_second = 1e15;  // femtoseconds: an iteration may take less than a nanosecond
constexpr std::int64_t measured_mark = std::int64_t{1} << 62;  // above all words of times

/// Seconds as integers for a reduction: ranks must agree on every bit.
std::int64_t to_word(double seconds) {
  constexpr double most = 4e3;  // more than an hour, and less than `measured_mark`
  return seconds < 0 ? -1 : std::llround(per_second * std::fmin(seconds, most));
}

double from_word(std::int64_t word) {
  return word < 0 ? -1 : static_cast<double>(word) / per_second;
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
  Network& network = inputs.network;
  for (double* seconds :
       {&network.on_node.overhead, &network.on_node.latency, &network.on_node.seconds_per_byte,
        &network.pack_row, &network.unpack_byte, &inputs.plan_seconds})
    visit(*seconds);
  for (double& seconds : inputs.times) visit(seconds);
}

std::vector<std::int64_t> words_of(PolicyInputs& inputs) {
  std::vector<std::int64_t> words = inputs.sizes.words();
  for_each_cost(inputs, [&](double seconds, bool is_measured) {
    words.push_back(to_word(seconds) + (is_measured ? measured_mark : 0));
  });
  for_each_time(inputs, [&](double seconds) { words.push_back(to_word(seconds)); });
  for (const std::int64_t count :
       {inputs.caches.own, inputs.caches.shared, std::int64_t{inputs.threads}})
    words.push_back(count);
  return words;
}

void take(std::span<const std::int64_t> words, PolicyInputs& inputs) {
  auto next = words.begin();
  inputs.sizes.take(next);
  for_each_cost(inputs, [&](double& seconds, bool& is_measured) {
    const std::int64_t word = *next++;
    is_measured = word >= measured_mark;
    seconds = from_word(is_measured ? word - measured_mark : word);
  });
  for_each_time(inputs, [&](double& seconds) { seconds = from_word(*next++); });
  inputs.caches = {next[0], next[1]};
  inputs.threads = static_cast<int>(next[2]);
}

/// Every number of what a rank does.
template <class Visit>
void for_each_work_count(FlushWork& work, const Visit& visit) {
  for (ChainWork& chain : work.chains) {
    if (chain.exchange)
      for (double* count :
           {&chain.exchange->messages, &chain.exchange->bytes, &chain.exchange->rows})
        visit(*count);
    for (LoopWork& loop : chain.loops)
      visit(loop.interior.iterations), visit(loop.boundary.iterations);
  }
}

constexpr std::size_t short_message = 64, long_message = std::size_t{64} << 10;  // bytes
constexpr int short_rounds = 6, long_rounds = 3;  // the best counts: others are disturbed

struct RoundTimes {
  double sending = std::numeric_limits<double>::max();  ///< until all messages have been started
  double all = std::numeric_limits<double>::max();      ///< until all have arrived
};

RoundTimes best_round(comm::Communicator& ranks, const std::vector<int>& neighbours,
                      std::size_t bytes, int rounds) {
  std::vector<comm::Peer> peers;
  for (const int rank : neighbours) peers.push_back({rank, bytes});
  const std::unique_ptr<comm::Channel> channel = ranks.open_channel(peers, peers);
  RoundTimes best;
  for (int round = 0; round < rounds; ++round) {
    const double begin = ranks.seconds();
    channel->start();
    const double sent = ranks.seconds();
    channel->wait();
    const double end = ranks.seconds();
    best.sending = std::min(best.sending, sent - begin);
    best.all = std::min(best.all, end - begin);
  }
  return best;
}

}  // namespace

void know_empty_loops(const core::Queue& queue, PolicyInputs& inputs) {
  const auto records = queue.records();
  for (std::size_t k = 0; k < records.size(); ++k) {
    if (records[k].is_assignment() || inputs.costs[k].is_known()) continue;
    const auto set = static_cast<std::size_t>(records[k].set->index);
    if (inputs.sizes.sets[set].rows_within(0) == 0) inputs.costs[k].seconds.front() = 0;
  }
}

void agree(comm::Communicator& ranks, PolicyInputs& inputs) {
  comm::WordReduction words{{}, {}, words_of(inputs)};
  ranks.reduce(words, "agreeing on the costs of a sequence of loops");
  take(words.maxima, inputs);
}

void agree(comm::Communicator& ranks, FlushWork& work) {
  comm::WordReduction words;
  for_each_work_count(work, [&](double& count) { words.maxima.push_back(std::llround(count)); });
  ranks.reduce(words, "agreeing on the rows of a sequence of loops");
  auto next = words.maxima.begin();
  for_each_work_count(work, [&](double& count) { count = static_cast<double>(*next++); });
}

std::vector<int> neighbours_of(const comm::HaloPlan& plan) {
  std::set<int> ranks;
  for (const comm::IndexMap& set : plan.sets)
    for (const comm::HaloLevel& level : set.levels) {
      for (const comm::ImportRange& range : level.imports) ranks.insert(range.rank);
      for (const comm::ExportList& list : level.exports) ranks.insert(list.rank);
    }
  return {ranks.begin(), ranks.end()};
}

Network measure_network(comm::Communicator& ranks, const std::vector<int>& neighbours) {
  const RoundTimes small = best_round(ranks, neighbours, short_message, short_rounds);
  const RoundTimes large = best_round(ranks, neighbours, long_message, long_rounds);
  if (neighbours.empty()) return {};
  const auto messages = static_cast<double>(neighbours.size());
  Link link;
  link.overhead = std::max(0.0, small.sending / messages);
  link.latency = std::max(0.0, small.all - 2 * small.sending);
  link.seconds_per_byte = std::max(0.0, large.all - small.all) /
                          (messages * static_cast<double>(long_message - short_message));
  return {link};
}

}  // namespace op2::sched
