// SPDX-License-Identifier: BSD-3-Clause
// What ranks agree on before they choose a schedule.
#include <sched/policy/agreement.hpp>

#include <array>

#include <gtest/gtest.h>

#include <support/fake_communicator.hpp>

namespace op2::sched {
namespace {

TEST(Agreement, EveryRankGetsTheGreatestOfEachNumber) {
  comm::run_fake_ranks(3, [](comm::Communicator& ranks) {
    const double mine = ranks.rank();
    PolicyInputs inputs;
    inputs.costs = {{{1e-9 * mine, ranks.rank() == 1 ? 7e-9 : -1, -1}}};
    inputs.network.on_node.latency = 1e-6 * (2 - mine);
    inputs.plan_seconds = 1e-3 * mine;
    inputs.caches = {1 + ranks.rank(), 9 - ranks.rank()};
    inputs.threads = 3 - ranks.rank();
    inputs.times = {1e-3 * mine, 5e-3};
    inputs.sizes.sets = {{{10 * mine}, {3 - mine}, {4}, {mine}}};
    agree(ranks, inputs);
    EXPECT_DOUBLE_EQ(inputs.costs[0].seconds[0], 2e-9);
    EXPECT_DOUBLE_EQ(inputs.costs[0].seconds[1], 7e-9);
    EXPECT_EQ(inputs.costs[0].seconds[2], -1);
    EXPECT_DOUBLE_EQ(inputs.network.on_node.latency, 2e-6);
    EXPECT_DOUBLE_EQ(inputs.plan_seconds, 2e-3);
    EXPECT_EQ(inputs.caches.own, 3);
    EXPECT_EQ(inputs.caches.shared, 9);
    EXPECT_EQ(inputs.threads, 3);
    EXPECT_EQ(inputs.times, (std::vector{2e-3, 5e-3}));
    EXPECT_EQ(inputs.sizes.sets[0].within, std::vector<double>{20});
    EXPECT_EQ(inputs.sizes.sets[0].sent, std::vector<double>{3});
  });
}

/// What one rank has measured counts more than what others only know of earlier sessions.
TEST(Agreement, MeasuredCostsReplaceKeptOnes) {
  comm::run_fake_ranks(3, [](comm::Communicator& ranks) {
    PolicyInputs inputs;
    inputs.costs = {{{9e-9, 9e-9, 5e-9}}};
    if (ranks.rank() > 0) inputs.costs[0].seconds[0] = 1e-9 * ranks.rank();
    inputs.costs[0].is_measured[0] = ranks.rank() > 0;
    inputs.costs[0].is_measured[1] = ranks.rank() == 1;
    if (ranks.rank() == 1) inputs.costs[0].seconds[1] = 0;
    agree(ranks, inputs);
    EXPECT_DOUBLE_EQ(inputs.costs[0].seconds[0], 2e-9);
    EXPECT_EQ(inputs.costs[0].seconds[1], 0);
    EXPECT_DOUBLE_EQ(inputs.costs[0].seconds[2], 5e-9);
    EXPECT_EQ(inputs.costs[0].is_measured, (std::array{true, true, false}));
  });
}

TEST(Agreement, TheLongestTimeIsLessThanAnyMeasuredOne) {
  comm::run_fake_ranks(2, [](comm::Communicator& ranks) {
    PolicyInputs inputs;
    inputs.costs = {{{ranks.rank() == 0 ? 1e9 : 1e-9, -1, -1}}};
    inputs.costs[0].is_measured[0] = ranks.rank() == 1;
    agree(ranks, inputs);
    EXPECT_DOUBLE_EQ(inputs.costs[0].seconds[0], 1e-9);
  });
}

/// Of a schedule whose rows each rank has counted itself.
TEST(Agreement, EveryRankCountsWithTheMostThatAnyDoes) {
  comm::run_fake_ranks(3, [](comm::Communicator& ranks) {
    const double mine = ranks.rank();
    FlushWork work{{{ExchangeWork{2, 100 - mine, 10 * mine}, {{0, {mine}, {7}}}},
                    {std::nullopt, {{1, {0}, {5 - mine}}}}}};
    agree(ranks, work);
    EXPECT_EQ(work.chains[0].exchange->bytes, 100);
    EXPECT_EQ(work.chains[0].exchange->rows, 20);
    EXPECT_EQ(work.chains[0].loops[0].interior.iterations, 2);
    EXPECT_EQ(work.chains[1].loops[0].boundary.iterations, 5);
  });
}

}  // namespace
}  // namespace op2::sched
