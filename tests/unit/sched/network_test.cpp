// SPDX-License-Identifier: BSD-3-Clause
// Clocks of ranks follow the formulas of docs/model.md.
#include <sched/cost/network.hpp>

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace op2::sched {
namespace {

Network network_with(Link on_node, Link across = {}, int ranks_per_node = 0) {
  Network network;
  network.on_node = std::move(on_node);
  network.across = std::move(across);
  network.ranks_per_node = ranks_per_node;
  return network;
}

PhaseTimes phases(std::vector<double> interior, std::vector<double> boundary) {
  return {std::move(interior), std::move(boundary)};
}

constexpr double exact = 1e-12;

TEST(Clocks, WaitForMessagesOnlyAsLongAsTheInteriorTakesLess) {
  const Network network = network_with({10, 1, 0.5});
  const std::vector<Message> message{{0, 1, 8, 1}};
  // Rank 0 sends for 1 s; the line is busy for 4 s, and the message there at 15 s.
  Clocks hidden(2, network);
  hidden.run(message, phases({0, 20}, {2, 2}));
  EXPECT_NEAR(hidden.slowest(), 20 + 1 + 2, exact);
  EXPECT_NEAR(hidden.overheads().waits, 0, exact);
  Clocks waiting(2, network);
  waiting.run(message, phases({0, 3}, {2, 2}));
  EXPECT_NEAR(waiting.slowest(), 15 + 1 + 2, exact);
  EXPECT_NEAR(waiting.overheads().waits, 12, exact);
  EXPECT_NEAR(waiting.overheads().messages, 2, exact);
}

TEST(Clocks, PackBeforeTheySendAndUnpackAfterwards) {
  Network network = network_with({10, 1, 0});
  network.pack_row = 3;
  network.pack_byte = 0.25;
  network.unpack_byte = 0.5;
  Clocks clocks(2, network);
  clocks.run(std::vector<Message>{{0, 1, 8, 2}}, phases({0, 0}, {0, 0}));
  EXPECT_NEAR(clocks.slowest(), (2 * 3 + 8 * 0.25) + 1 + 10 + 1 + 8 * 0.5, exact);
}

/// Up to 100 bytes a copy is cheap; the message of 300 bytes is between two sizes, that of 1000
/// beyond the last.
TEST(Clocks, LetProcessorsCopyMessagesWhoseCostDependsOnTheirSize) {
  Link link{1, 1, 1, {{100, 10, 1}, {200, 20, 2}, {400, 40, 4}}};
  for (const auto& [bytes, factor] : {std::pair(50.0, 1.0), {300.0, 3.0}, {1000.0, 10.0}}) {
    Clocks clocks(2, network_with(link));
    clocks.run(std::vector<Message>{{0, 1, bytes, 1}}, phases({0, 0}, {0, 0}));
    EXPECT_NEAR(clocks.slowest(), factor * (1 + 10 + 1), exact);
  }
  Clocks two(3, network_with(link));  // of which none waits for a line
  two.run(std::vector<Message>{{0, 1, 400, 1}, {0, 2, 400, 1}}, phases({0, 0, 0}, {0, 0, 0}));
  EXPECT_NEAR(two.slowest(), 2 * 4 + 40 + 4, exact);
}

/// Each tenth of the work since a rank waited last, beside iterations too.
TEST(Clocks, OfDisturbedRanksWaitLongerAfterMoreWork) {
  Network network = network_with({10, 0, 0});
  network.disturbance = 0.1;
  Clocks clocks(2, network);
  clocks.run({}, phases({1, 1}, {2, 2}));
  clocks.work(4);
  EXPECT_NEAR(clocks.slowest(), 7, exact);  // nobody has waited
  const std::vector<Message> message{{0, 1, 8, 1}};
  clocks.run(message, phases({3, 3}, {2, 2}));  // rank 1 waits
  EXPECT_NEAR(clocks.slowest(), 7 + 10 + 0.1 * 10 + 2, exact);
  EXPECT_NEAR(clocks.overheads().waits, 7 + 0.1 * 10, exact);
  clocks.run(message, phases({20, 20}, {0, 0}));  // for no message, but as long
  EXPECT_NEAR(clocks.slowest(), 20 + 20 + 0.1 * 22, exact);
  clocks.reduce(8);  // rank 0, which has worked since the begin
  EXPECT_NEAR(clocks.slowest(), 42.2 + 10, exact);
  Clocks alone(1, network);
  alone.run({}, phases({1}, {2}));
  alone.reduce(8);
  EXPECT_NEAR(alone.slowest(), 3, exact);
}

TEST(Clocks, ReduceInMeasuredRounds) {
  Network network = network_with({1, 0, 0}, {10, 0, 0}, 4);
  network.reduction = 3;
  Clocks clocks(8, network);
  clocks.reduce(8);
  EXPECT_NEAR(clocks.slowest(), 2 * 3 + 1 * 10, exact);
}

TEST(Clocks, LetEveryRankWorkBesideItsIterations) {
  Clocks clocks(2, network_with({0, 0, 0}));
  clocks.run({}, phases({0, 0}, {1, 2}));
  clocks.work(5, 3);
  EXPECT_NEAR(clocks.slowest(), 7, exact);
  EXPECT_NEAR(clocks.overheads().host, 3 * 5 * 2, exact);
}

TEST(Clocks, LetMessagesToOneRankQueueOnTheLineOfTheirSender) {
  Clocks clocks(3, network_with({0, 0, 1}));
  clocks.run(std::vector<Message>{{0, 1, 5, 1}, {0, 2, 5, 1}}, phases({0, 0, 0}, {0, 0, 0}));
  EXPECT_NEAR(clocks.slowest(), 10, exact);
  Clocks apart(3, network_with({0, 0, 1}));
  apart.run(std::vector<Message>{{0, 2, 5, 1}, {1, 2, 5, 1}}, phases({0, 0, 0}, {0, 0, 0}));
  EXPECT_NEAR(apart.slowest(), 5, exact);
}

TEST(Clocks, LetTheRanksOfANodeShareItsAdapter) {
  const std::vector<Message> both{{0, 2, 5, 1}, {1, 3, 5, 1}};
  Clocks one_adapter(4, network_with({0, 0, 0}, {2, 0, 1}, 2));
  one_adapter.run(both, phases({0, 0, 0, 0}, {0, 0, 0, 0}));
  EXPECT_NEAR(one_adapter.slowest(), 10 + 2, exact);
  Clocks two_adapters(4, network_with({0, 0, 0}, {2, 0, 1}, 1));
  two_adapters.run(both, phases({0, 0, 0, 0}, {0, 0, 0, 0}));
  EXPECT_NEAR(two_adapters.slowest(), 5 + 2, exact);
}

TEST(Clocks, ReduceNodeByNode) {
  Clocks clocks(8, network_with({1, 0, 0}, {10, 0, 0}, 4));
  clocks.run({}, phases({0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 7}));
  clocks.reduce(8);
  EXPECT_NEAR(clocks.slowest(), 7 + 2 * 1 + 1 * 10, exact);
  EXPECT_NEAR(clocks.overheads().reductions, 7 * 19 + 12, exact);
}

TEST(Clocks, SendSeveralMessagesIfTheyAreNotGrouped) {
  Network network = network_with({10, 1, 0});
  network.messages_per_neighbour = 4;
  Clocks clocks(2, network);
  clocks.run(std::vector<Message>{{0, 1, 8, 1}}, phases({0, 0}, {0, 0}));
  EXPECT_NEAR(clocks.slowest(), 4 + 10 + 4, exact);
}

}  // namespace
}  // namespace op2::sched
