// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/chain_model.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <vector>

namespace op2::sched {
namespace {

/// Of all loops of a chain, in the phase that `iterations` names.
double seconds_of(const ChainWork& chain, double LoopWork::* iterations, const Costs& costs) {
  double seconds = 0;
  for (const LoopWork& loop : chain.loops)
    seconds += loop.*iterations * seconds_per_iteration(loop, costs.loops[loop.loop]);
  return seconds;
}

/// Of the processor, for messages that have arrived.
double receiving_seconds(const ExchangeWork& exchange, const Network& network) {
  double seconds = 0;
  for (std::size_t d = 0; d < distances; ++d)
    seconds += exchange.received[d].messages * network.links[d].overhead +
               exchange.received[d].bytes * network.received_byte;
  return seconds;
}

template <class Count>
double sum_over_exchanges(const FlushWork& flush, const Count& count) {
  double sum = 0;
  for (const ChainWork& chain : flush.chains)
    if (chain.exchange) sum += count(*chain.exchange);
  return sum;
}

double exchange_time(const FlushWork& flush, const Network& network) {
  return sum_over_exchanges(flush,
                            [&](const ExchangeWork& e) { return exchange_seconds(e, network); });
}

struct Line {
  double at_zero, slope;
};

/// The straight line that fits best; through the origin, if `x` is about the same everywhere.
/// @param steepest  its slope is between zero and that
Line line_through(std::span<const double> x, std::span<const double> y, double steepest) {
  constexpr double least = 0.1;  // standard deviation of x, relative to its mean
  const auto mean = [](std::span<const double> all) {
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  };
  const double of_x = mean(x), of_y = mean(y);
  double both = 0, squares = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    both += (x[k] - of_x) * (y[k] - of_y);
    squares += (x[k] - of_x) * (x[k] - of_x);
  }
  if (squares <= static_cast<double>(x.size()) * least * least * of_x * of_x)
    return {0, std::clamp(of_y / of_x, 0.0, steepest)};
  const double slope = std::clamp(both / squares, 0.0, steepest);
  return {of_y - slope * of_x, slope};
}

template <class Count>
double sum_over_loops(const FlushWork& flush, const Count& count) {
  double sum = 0;
  for (const ChainWork& chain : flush.chains)
    for (const LoopWork& loop : chain.loops) sum += count(loop);
  return sum;
}

}  // namespace

bool LoopCost::is_known() const {
  return std::ranges::any_of(seconds, [](double cost) { return cost >= 0; });
}

double LoopCost::in(Way way) const {
  if (is_known(way)) return seconds[static_cast<std::size_t>(way)];
  const auto known = std::ranges::find_if(seconds, [](double cost) { return cost >= 0; });
  return known == seconds.end() ? 0 : *known;
}

double seconds_per_iteration(const LoopWork& loop, const LoopCost& cost) {
  // Between what was seen: tiles that spare 0.85 of the traffic of Airfoil took 0.7 of the time on
  // an AMD EPYC (0.35 of what is spared), 0.94 on an Intel Xeon (0.07).
  constexpr double time_of_traffic = 0.25;
  if (loop.way != Way::tiled) return cost.in(loop.way);
  const double tiled = cost.in(Way::tiled), untiled = cost.in(loop.untiled);
  if (!cost.is_known(Way::tiled)) return untiled * (1 - time_of_traffic * loop.spared);
  if (tiled >= untiled || loop.spared >= cost.most_spared) return tiled;
  return untiled - (untiled - tiled) * loop.spared / cost.most_spared;
}

double FlushWork::exchanges() const {
  return sum_over_exchanges(*this, [](const ExchangeWork&) { return 1.0; });
}

double FlushWork::bytes() const {
  return sum_over_exchanges(*this, [](const ExchangeWork& e) { return e.bytes_sent(); });
}

double FlushWork::iterations() const {
  return sum_over_loops(*this, [](const LoopWork& loop) { return loop.core + loop.rest; });
}

Departure depart(double start, const ExchangeWork& exchange, const Network& network) {
  const double packed = start + exchange.packed_rows * network.packed_row;
  Departure departure{packed, packed};
  for (std::size_t d = 0; d < distances; ++d) {
    const Traffic& sent = exchange.sent[d];
    if (sent.messages <= 0) continue;
    const Link& link = network.links[d];
    const double busy = sent.bytes * link.seconds_per_byte;
    const double first = departure.ready + link.overhead;
    departure.ready += sent.messages * link.overhead;
    // Either the processor or the link is what the last message waits for.
    const double gone = std::max(first + busy, departure.ready + busy / sent.messages);
    departure.arrival = std::max(departure.arrival, gone + link.latency);
  }
  return departure;
}

double end_of_chain(double ready, double arrival, const ChainWork& chain, const Costs& costs) {
  double time = ready;
  if (chain.exchange) {
    time = std::max(time + seconds_of(chain, &LoopWork::core, costs), arrival);
    time += receiving_seconds(*chain.exchange, costs.network);
  } else {
    time += seconds_of(chain, &LoopWork::core, costs);
  }
  return time + seconds_of(chain, &LoopWork::rest, costs);
}

double reduction_seconds(int ranks, const Network& network) {
  constexpr double bytes = 512;
  const Link& link = network.at(Distance::across);
  const int rounds = std::bit_width(static_cast<unsigned>(ranks - 1));
  return rounds * (link.latency + 2 * link.overhead + bytes * link.seconds_per_byte);
}

double predicted_seconds(const FlushWork& flush, const Costs& costs) {
  double time = 0;
  for (const ChainWork& chain : flush.chains) {
    Departure departure{time, time};
    if (chain.exchange) departure = depart(time, *chain.exchange, costs.network);
    time = end_of_chain(departure.ready, departure.arrival, chain, costs);
    if (chain.exchange)
      time += costs.excess.exchange +
              costs.excess.share * exchange_seconds(*chain.exchange, costs.network);
  }
  return time;
}

double exchange_seconds(const ExchangeWork& exchange, const Network& network) {
  const Departure departure = depart(0, exchange, network);
  return std::max(departure.ready, departure.arrival) + receiving_seconds(exchange, network);
}

Excess excess_of(std::span<const MeasuredFlush> flushes, Costs costs) {
  costs.excess = {};
  const auto count = static_cast<double>(flushes.size());
  double exchanges = 0, time = 0;  // of all flushes
  for (const MeasuredFlush& flush : flushes) {
    exchanges += flush.work.exchanges();
    time += exchange_time(flush.work, costs.network);
  }
  if (exchanges <= 0 || time <= 0) return {};
  // What each took longer, by how much it exchanges: 1 is the mean.
  std::vector<double> more, share;
  double most = std::numeric_limits<double>::max();  // all that the flushes took
  for (const MeasuredFlush& flush : flushes) {
    more.push_back(flush.seconds - predicted_seconds(flush.work, costs));
    share.push_back(
        count / 2 *
        (flush.work.exchanges() / exchanges + exchange_time(flush.work, costs.network) / time));
    if (share.back() > 0) most = std::min(most, flush.seconds / share.back());
  }
  const Line line = line_through(share, more, most);
  return {line.at_zero, line.slope * count / 2 / exchanges, line.slope * count / 2 / time};
}

}  // namespace op2::sched
