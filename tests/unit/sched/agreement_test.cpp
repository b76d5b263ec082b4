// SPDX-License-Identifier: BSD-3-Clause
// What ranks agree on before they choose a schedule, and words that travel with a reduction.
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
    inputs.network.links[0].latency = 1e-6 * (2 - mine);
    inputs.plan_seconds = 1e-3 * mine;
    inputs.caches = {1 + ranks.rank(), 9 - ranks.rank()};
    inputs.threads = 3 - ranks.rank();
    inputs.of_rows.sizes.sets = {{{10 * mine}, {3 - mine}, {4}, {mine}}};
    agree(ranks, inputs);
    EXPECT_DOUBLE_EQ(inputs.costs[0].seconds[0], 2e-9);
    EXPECT_DOUBLE_EQ(inputs.costs[0].seconds[1], 7e-9);
    EXPECT_EQ(inputs.costs[0].seconds[2], -1);
    EXPECT_DOUBLE_EQ(inputs.network.links[0].latency, 2e-6);
    EXPECT_DOUBLE_EQ(inputs.plan_seconds, 2e-3);
    EXPECT_EQ(inputs.caches.own, 3);
    EXPECT_EQ(inputs.caches.shared, 9);
    EXPECT_EQ(inputs.threads, 3);
    EXPECT_EQ(inputs.of_rows.sizes.sets[0].within, std::vector<double>{20});
    EXPECT_EQ(inputs.of_rows.sizes.sets[0].sent, std::vector<double>{3});
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

TEST(AttachedWords, TravelWithTheNextReductionWithoutAMessageMore) {
  std::vector<std::int64_t> bytes(3);
  const auto reduce_with = [&](bool attached) {
    std::ranges::fill(bytes, 0);
    comm::run_fake_ranks(3,
                         [&](comm::Communicator& ranks) {
                           EXPECT_FALSE(ranks.take_attached());
                           if (attached) ranks.attach({ranks.rank(), -ranks.rank()});
                           comm::WordReduction sum{{1}, {}, {ranks.rank()}};
                           ranks.reduce(sum, "a reduction of the program");
                           EXPECT_EQ(sum.sums, std::vector<std::int64_t>{3});
                           EXPECT_EQ(sum.maxima, std::vector<std::int64_t>{2});
                           const auto carried = ranks.take_attached();
                           EXPECT_EQ(carried.has_value(), attached);
                           if (carried) {
                             EXPECT_EQ(*carried, (std::vector<std::int64_t>{2, 0}));
                           }
                           EXPECT_FALSE(ranks.take_attached());
                         },
                         {.reduced_bytes = &bytes});
    return bytes;
  };
  EXPECT_EQ(reduce_with(true), reduce_with(false));
}

}  // namespace
}  // namespace op2::sched
