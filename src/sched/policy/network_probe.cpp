// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/network_probe.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <set>

namespace op2::sched {
namespace {

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
  return {{link, link}, 0, 0};
}

}  // namespace op2::sched
