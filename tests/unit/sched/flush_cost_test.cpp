// SPDX-License-Identifier: BSD-3-Clause
#include <sched/cost/flush_cost.hpp>

#include <gtest/gtest.h>

namespace op2::sched {
namespace {

/// Costs in seconds that are easy to add: an iteration 1, a tiled one 0.5.
struct FlushCost : testing::Test {
  std::vector<LoopCost> loops{{{1.0, 0.5, -1}}};
  Network network;

  Costs costs() const { return {loops, network}; }
  static ChainWork chain(double interior, double boundary, Way way = Way::alone) {
    return {std::nullopt, {{0, {interior, way}, {boundary, way}}}};
  }
  static ExchangeWork exchange(double messages, double bytes, double rows) {
    return {messages, bytes, rows};
  }
  double seconds(ChainWork one) const { return predicted_seconds({{std::move(one)}}, costs()); }
};

TEST_F(FlushCost, WithoutMessagesIterationsAddUp) {
  EXPECT_DOUBLE_EQ(seconds(chain(3, 4)), 7);
}

TEST_F(FlushCost, AnIterationCostsWhatItsWayCosts) {
  EXPECT_DOUBLE_EQ(seconds(chain(0, 4, Way::tiled)), 2);
}

TEST_F(FlushCost, AWayThatWasNotMeasuredCostsWhatALoopAloneCosts) {
  EXPECT_DOUBLE_EQ(seconds(chain(0, 4, Way::fused)), 4);
  EXPECT_FALSE(LoopCost{}.is_known());
  EXPECT_DOUBLE_EQ(LoopCost{}.in(Way::tiled), 0);
}

double in_tiles(const LoopCost& cost, double spared, Way untiled = Way::alone) {
  return seconds_per_iteration({1, Way::tiled, spared, untiled}, cost);
}

TEST_F(FlushCost, TilesThatHaveNotRunAreExpectedToGainByTheTrafficThatTheySpare) {
  const LoopCost cost{{1.0, -1, 0.5}};
  EXPECT_DOUBLE_EQ(in_tiles(cost, 0), 1);
  EXPECT_LT(in_tiles(cost, 0.5), 1);
  EXPECT_LT(in_tiles(cost, 1), in_tiles(cost, 0.5));
  EXPECT_GT(in_tiles(cost, 1), 0.5);
  EXPECT_DOUBLE_EQ(in_tiles(loops[0], 1), 0.5);  // measured
}

TEST_F(FlushCost, StepsStayFusedInTiles) {
  const LoopCost cost{{1.0, -1, 0.5}};
  EXPECT_DOUBLE_EQ(in_tiles(cost, 0, Way::fused), 0.5);
  EXPECT_LT(in_tiles(cost, 0.5, Way::fused), 0.5);
  EXPECT_DOUBLE_EQ(in_tiles({{1.0, 0.25, 0.5}, 0.8}, 0.4, Way::fused), 0.375);
}

TEST_F(FlushCost, TilesThatSpareLessThanTheMeasuredOnesGainLess) {
  const LoopCost cost{{1.0, 0.5, -1}, 0.8};
  EXPECT_DOUBLE_EQ(in_tiles(cost, 0.8), 0.5);
  EXPECT_DOUBLE_EQ(in_tiles(cost, 0.4), 0.75);
  EXPECT_DOUBLE_EQ(in_tiles(cost, 0), 1);
  EXPECT_DOUBLE_EQ(in_tiles({{1.0, 1.5, -1}, 0.8}, 0.4), 1.5);  // they lose
  EXPECT_DOUBLE_EQ(in_tiles({{-1, 0.5, -1}, 0.8}, 0.4), 0.5);   // nothing else is known
}

TEST_F(FlushCost, TheInteriorHidesTheLatencyAndNothingElse) {
  network.on_node.latency = 10;
  ChainWork one = chain(8, 1);
  one.exchange = exchange(2, 0, 0);
  EXPECT_DOUBLE_EQ(seconds(one), 10 + 1);
  one.loops[0].interior.iterations = 20;
  EXPECT_DOUBLE_EQ(seconds(one), 20 + 1);
}

TEST_F(FlushCost, OverheadsAndPackingOccupyTheProcessor) {
  network.on_node.overhead = 1;
  network.pack_row = 0.25;
  network.unpack_byte = 0.125;
  ChainWork one = chain(20, 1);
  one.exchange = exchange(2, 16, 8);
  EXPECT_DOUBLE_EQ(seconds(one), 8 * 0.25 + 2 * 1 + 20 + 2 * 1 + 16 * 0.125 + 1);
}

TEST_F(FlushCost, ALongMessageIsBoundByTheLinkAndManyByTheProcessor) {
  network.on_node = {10, 1, 1};
  EXPECT_DOUBLE_EQ(exchange_seconds(exchange(2, 100, 0), network), 1 + 100 + 10 + 2);
  EXPECT_DOUBLE_EQ(exchange_seconds(exchange(4, 4, 0), network), 4 + 1 + 10 + 4);
}

/// Not one maximum over all: the wait of one exchange does not hide behind the work of another.
TEST_F(FlushCost, WaitsAddUpExchangeByExchange) {
  network.on_node.latency = 10;
  ChainWork idle = chain(0, 1), busy = chain(20, 1);
  idle.exchange = busy.exchange = exchange(1, 0, 0);
  EXPECT_DOUBLE_EQ(predicted_seconds({{idle, busy}}, costs()), (10 + 1) + (20 + 1));
}

TEST_F(FlushCost, WhatAFlushTakesLongerIsDueToItsExchanges) {
  network.on_node = {10, 1, 0};
  network.pack_row = 0.25;
  ChainWork small = chain(0, 1), large = chain(0, 1);
  small.exchange = exchange(1, 0, 0);
  large.exchange = exchange(1, 0, 48);
  const FlushWork flush{{small, chain(0, 1), large}};
  EXPECT_DOUBLE_EQ(exchange_seconds(*small.exchange, network), 12);
  EXPECT_DOUBLE_EQ(exchange_seconds(*large.exchange, network), 24);
  EXPECT_DOUBLE_EQ(predicted_seconds(flush, costs()), 36 + 3);
  const auto excess_if = [&](const FlushWork& work, double seconds, const Costs& given) {
    return excess_of(std::vector<MeasuredFlush>{{work, seconds}}, given);
  };
  const Excess excess = excess_if(flush, 39 + 36, costs());
  EXPECT_DOUBLE_EQ(excess.exchange, 9);
  EXPECT_DOUBLE_EQ(excess.share, 0.5);
  EXPECT_DOUBLE_EQ(predicted_seconds(flush, {loops, network, excess}), 39 + 36);
  EXPECT_DOUBLE_EQ(predicted_seconds({{small}}, {loops, network, excess}), 12 + 1 + 9 + 6);
  EXPECT_DOUBLE_EQ(excess_if(flush, 39 + 36, {loops, network, {0, 1, 1}}).share, 0.5);
  for (const Excess& none :
       {excess_if(flush, 38, costs()), excess_if({{chain(0, 1)}}, 27, costs())}) {
    EXPECT_EQ(none.exchange, 0);
    EXPECT_EQ(none.share, 0);
  }
}

/// Loops took 100 longer in both; what one exchange more took longer is due to it.
TEST_F(FlushCost, WhatFlushesTakeLongerInCommonIsNotDueToTheirExchanges) {
  network.on_node = {10, 1, 0};
  ChainWork exchanging = chain(0, 1);
  exchanging.exchange = exchange(1, 0, 0);
  const FlushWork one{{exchanging}}, three{{exchanging, exchanging, exchanging}};
  const double of_one = predicted_seconds(one, costs()),
               of_three = predicted_seconds(three, costs());
  const Excess excess = excess_of(
      std::vector<MeasuredFlush>{{one, of_one + 100 + 24}, {three, of_three + 100 + 72}}, costs());
  EXPECT_DOUBLE_EQ(excess.flush, 100);
  EXPECT_DOUBLE_EQ(excess.exchange, 12);
  EXPECT_DOUBLE_EQ(excess.share, 1);
  const Excess none =
      excess_of(std::vector<MeasuredFlush>{{one, of_one + 100}, {three, of_three + 72}}, costs());
  EXPECT_EQ(none.exchange, 0);
  EXPECT_DOUBLE_EQ(none.flush, 86);
}

TEST_F(FlushCost, AReductionTakesARoundOfMessagesForEachLevelOfATree) {
  network.on_node = {10, 1, 0};
  EXPECT_DOUBLE_EQ(network.node_reduction(2, 8), 12);
  EXPECT_DOUBLE_EQ(network.node_reduction(16, 8), 4 * 12);
  EXPECT_DOUBLE_EQ(network.node_reduction(17, 8), 5 * 12);
}

}  // namespace
}  // namespace op2::sched
