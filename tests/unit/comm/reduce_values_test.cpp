// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/reduce_values.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <support/fake_communicator.hpp>

namespace op2::test {
namespace {

using comm::Fold;
using comm::Nan;

/// What the root gets of one value per rank.
template <class T>
T reduced(Fold fold, const std::vector<T>& values, Nan nan = Nan::loses) {
  T result{};
  comm::run_fake_ranks(static_cast<int>(values.size()), [&](comm::Communicator& ranks) {
    T mine = values[static_cast<std::size_t>(ranks.rank())];
    const comm::FoldedValues one[] = {{type_of<T>(), fold, 1, &mine, false, nan}};
    comm::reduce_values(ranks, one);
    if (ranks.is_root()) result = mine;
  });
  return result;
}

TEST(ReduceValues, IntegerSumsWrapAround) {
  EXPECT_EQ(reduced<std::uint32_t>(Fold::sum, {4'000'000'000U, 1'000'000'000U}), 705'032'704U);
  EXPECT_EQ(reduced<std::uint64_t>(Fold::sum, {~0ULL, 3}), 2U);
  EXPECT_EQ(reduced<std::int32_t>(Fold::sum, {-5, 2, -1}), -4);
}

TEST(ReduceValues, ExtremesKnowTheSignOfTheirType) {
  EXPECT_EQ(reduced<std::uint64_t>(Fold::greatest, {1, ~0ULL, 2}), ~0ULL);
  EXPECT_EQ(reduced<std::uint64_t>(Fold::least, {1, ~0ULL, 2}), 1U);
  EXPECT_EQ(reduced<std::int64_t>(Fold::least, {1, -7, 2}), -7);
  EXPECT_EQ(reduced<double>(Fold::least, {1, -0.5, -INFINITY}), -INFINITY);
  EXPECT_EQ(reduced<float>(Fold::greatest, {-3, -2.5F, -4}), -2.5F);
}

TEST(ReduceValues, ASumOfBoolsIsTheLogicalOr) {
  EXPECT_TRUE(reduced<bool>(Fold::sum, {false, true, true}));
  EXPECT_FALSE(reduced<bool>(Fold::sum, {false, false}));
  EXPECT_FALSE(reduced<bool>(Fold::least, {true, false}));
}

TEST(ReduceValues, NaNIsNotAnExtremeUnlessThereIsNothingElse) {
  EXPECT_EQ(reduced<double>(Fold::least, {NAN, 2, NAN}), 2);
  EXPECT_EQ(reduced<double>(Fold::greatest, {-NAN, -2, NAN}), -2);
  EXPECT_TRUE(std::isnan(reduced<double>(Fold::least, {NAN, -NAN})));
  EXPECT_TRUE(std::isnan(reduced<float>(Fold::greatest, {NAN, -NAN})));
}

/// And is the same one whatever the ranks had.
TEST(ReduceValues, NanWinsIfItIsToBeSeen) {
  const auto bits = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());
  for (const Fold fold : {Fold::least, Fold::greatest})
    for (const std::vector<double>& values :
         {std::vector<double>{NAN, 2, -INFINITY}, {INFINITY, -NAN, -0.0}, {1, 2, -NAN}})
      EXPECT_EQ(std::bit_cast<std::uint64_t>(reduced(fold, values, Nan::wins)), bits);
  EXPECT_EQ(reduced<double>(Fold::least, {1, -INFINITY}, Nan::wins), -INFINITY);
  EXPECT_EQ(reduced<float>(Fold::greatest, {1, INFINITY}, Nan::wins), INFINITY);
  EXPECT_TRUE(std::isnan(reduced<float>(Fold::greatest, {NAN, INFINITY}, Nan::wins)));
}

TEST(ReduceValues, NegativeZeroIsLessThanZeroOnEveryRank) {
  EXPECT_TRUE(std::signbit(reduced<double>(Fold::least, {0.0, -0.0})));
  EXPECT_TRUE(std::signbit(reduced<double>(Fold::least, {-0.0, 0.0})));
  EXPECT_FALSE(std::signbit(reduced<double>(Fold::greatest, {-0.0, 0.0})));
}

TEST(ReduceValues, FloatingSumsHaveTheSameBitsInEveryOrderOfRanks) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> values(23);
  for (double& v : values) v = std::ldexp(value(random), static_cast<int>(random() % 200) - 100);
  const auto bits = std::bit_cast<std::uint64_t>(reduced(Fold::sum, values));
  for (int turn = 0; turn < 5; ++turn) {
    std::shuffle(values.begin(), values.end(), random);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(reduced(Fold::sum, values)), bits);
  }
}

TEST(ReduceValues, FloatingSumsHaveTheSameBitsOnFewerRanksWithExactParts) {
  const std::vector<double> values{1e16, 1, -1e16, 1, 0.5, 0.25};
  EXPECT_EQ(reduced(Fold::sum, values), 2.75);
  EXPECT_EQ(reduced<double>(Fold::sum, {2, 0.75}), 2.75);
}

TEST(ReduceValues, SeveralKindsTravelTogether) {
  comm::run_fake_ranks(3, [](comm::Communicator& ranks) {
    double sums[40];  // more words than one block has
    std::fill(std::begin(sums), std::end(sums), ranks.rank() + 0.5);
    std::int32_t least = 5 - ranks.rank();
    const comm::FoldedValues all[] = {{Type::f64, Fold::sum, 40, sums},
                                      {Type::i32, Fold::least, 1, &least}};
    comm::reduce_values(ranks, all);
    for (const double sum : sums) EXPECT_EQ(sum, 4.5);
    EXPECT_EQ(least, 3);
  });
}

TEST(ReduceValues, OnOneRankNothingChanges) {
  const auto alone = comm::make_self_communicator();
  double value = -0.0;
  const comm::FoldedValues one[] = {{Type::f64, Fold::sum, 1, &value}};
  comm::reduce_values(*alone, one);
  EXPECT_TRUE(std::signbit(value));
}

}  // namespace
}  // namespace op2::test
