// SPDX-License-Identifier: BSD-3-Clause
#include <sched/cost/flush_cost.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace op2::sched {
namespace {

/// To neighbours that do as much.
std::vector<Message> messages_of(const ExchangeWork& exchange) {
  const double count = std::max(1.0, exchange.messages);
  return std::vector<Message>(static_cast<std::size_t>(exchange.messages),
                              {0, 0, exchange.bytes / count, exchange.rows / count});
}

double exchange_time(const FlushWork& flush, const Network& network) {
  double sum = 0;
  for (const ChainWork& chain : flush.chains)
    if (chain.exchange) sum += exchange_seconds(*chain.exchange, network);
  return sum;
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

}  // namespace

bool LoopCost::is_known() const {
  return std::ranges::any_of(seconds, [](double cost) { return cost >= 0; });
}

double LoopCost::in(Way way) const {
  if (is_known(way)) return seconds[static_cast<std::size_t>(way)];
  const auto known = std::ranges::find_if(seconds, [](double cost) { return cost >= 0; });
  return known == seconds.end() ? 0 : *known;
}

double seconds_per_iteration(const PhaseWork& work, const LoopCost& cost) {
  // Between what was seen: tiles that spare 0.85 of the traffic of Airfoil took 0.7 of the time on
  // an AMD EPYC (0.35 of what is spared), 0.94 on an Intel Xeon (0.07).
  constexpr double time_of_traffic = 0.25;
  if (work.way != Way::tiled) return cost.in(work.way);
  const double tiled = cost.in(Way::tiled), untiled = cost.in(work.untiled);
  if (!cost.is_known(Way::tiled))
    return cost.gains_by_tiles ? untiled * (1 - time_of_traffic * work.spared) : untiled;
  if (tiled >= untiled || work.spared >= cost.most_spared) return tiled;
  return untiled - (untiled - tiled) * work.spared / cost.most_spared;
}

double seconds_of(const ChainWork& chain, PhaseWork LoopWork::* phase,
                  std::span<const LoopCost> loops) {
  double seconds = 0;
  for (const LoopWork& loop : chain.loops) {
    const PhaseWork& work = loop.*phase;
    seconds += work.iterations * seconds_per_iteration(work, loops[loop.loop]);
  }
  return seconds;
}

double predicted_seconds(const FlushWork& flush, const Costs& costs) {
  Clocks clock(1, costs.network);
  for (const ChainWork& chain : flush.chains) {
    const std::vector<Message> messages =
        chain.exchange ? messages_of(*chain.exchange) : std::vector<Message>();
    clock.run(messages, {{seconds_of(chain, &LoopWork::interior, costs.loops)},
                         {seconds_of(chain, &LoopWork::boundary, costs.loops)}});
    if (chain.exchange)
      clock.skip(costs.excess.exchange +
                 costs.excess.share * exchange_seconds(*chain.exchange, costs.network));
  }
  return clock.slowest();
}

double expected_seconds(const FlushWork& work, const Costs& costs) {
  constexpr double least = 0.5;
  const double known = predicted_seconds(work, costs);
  return std::max(least * known, known + costs.excess.flush);
}

double exchange_seconds(const ExchangeWork& exchange, const Network& network) {
  Clocks clock(1, network);
  clock.run(messages_of(exchange), {{0}, {0}});
  return clock.slowest();
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
