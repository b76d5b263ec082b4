// SPDX-License-Identifier: BSD-3-Clause
#include <core/exact_sum.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace op2::core {
namespace {

__extension__ using int128 = __int128;

template <class T>
T exact(const std::vector<T>& terms) {
  ExactSum<T> sum;
  for (const T term : terms) sum.add(term);
  return sum.rounded();
}

/// Words of one sum per term, summed up: what the ranks of a job do.
template <class T>
T exact_on_ranks(const std::vector<T>& terms) {
  std::array<std::int64_t, ExactSum<T>::words> total{};
  for (const T term : terms) {
    ExactSum<T> sum;
    sum.add(term);
    const auto words = sum.to_words();
    for (std::size_t k = 0; k < words.size(); ++k) total[k] += words[k];
  }
  return ExactSum<T>::from_words(total).rounded();
}

/// Numbers of any exponent and sign.
std::vector<double> scattered(unsigned seed, std::size_t count, int exponents) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-exponents, exponents);
  std::vector<double> terms(count);
  for (double& term : terms) term = std::ldexp(mantissa(random), exponent(random));
  return terms;
}

/// Whole numbers of at most `bits` bits.
std::vector<std::int64_t> whole(unsigned seed, std::size_t count, int bits) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> numbers(count);
  for (std::int64_t& n : numbers)
    n = static_cast<std::int64_t>(random() >> (64 - bits)) * ((random() & 1) != 0 ? 1 : -1);
  return numbers;
}

template <class T>
class ExactSumOf : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ExactSumOf, Types);

TYPED_TEST(ExactSumOf, OneTermIsThatTerm) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const TypeParam x : {TypeParam(1), TypeParam(-0.1), Limits::max(), Limits::lowest(),
                            Limits::min(), Limits::denorm_min(), -Limits::denorm_min()}) {
    EXPECT_EQ(exact<TypeParam>({x}), x);
    EXPECT_EQ(exact_on_ranks<TypeParam>({x}), x);
  }
}

TYPED_TEST(ExactSumOf, NothingAndCancelledTermsAreAPositiveZero) {
  EXPECT_FALSE(std::signbit(exact<TypeParam>({})));
  EXPECT_FALSE(std::signbit(exact<TypeParam>({TypeParam(-0.0)})));
  EXPECT_FALSE(std::signbit(exact<TypeParam>({TypeParam(3), TypeParam(-3)})));
}

TYPED_TEST(ExactSumOf, SmallTermsSurviveLargeOnes) {
  using Limits = std::numeric_limits<TypeParam>;
  EXPECT_EQ(exact<TypeParam>({Limits::max(), Limits::denorm_min(), Limits::lowest()}),
            Limits::denorm_min());
  EXPECT_EQ(exact<TypeParam>({Limits::max(), Limits::max(), Limits::lowest()}), Limits::max());
}

TYPED_TEST(ExactSumOf, AResultThatIsTooLargeIsInfinite) {
  using Limits = std::numeric_limits<TypeParam>;
  EXPECT_EQ(exact<TypeParam>({Limits::max(), Limits::max()}), Limits::infinity());
  EXPECT_EQ(exact<TypeParam>({Limits::lowest(), Limits::lowest()}), -Limits::infinity());
  const auto half_a_step = std::ldexp(TypeParam(1), Limits::max_exponent - Limits::digits - 1);
  EXPECT_EQ(exact<TypeParam>({Limits::max(), half_a_step}), Limits::infinity()) << "ties to even";
  EXPECT_EQ(exact<TypeParam>({Limits::max(), std::nextafter(half_a_step, TypeParam(0))}),
            Limits::max());
}

TYPED_TEST(ExactSumOf, ManyLargeTermsDoNotOverflowTheAccumulator) {
  using Limits = std::numeric_limits<TypeParam>;
  ExactSum<TypeParam> sum;
  for (int k = 0; k < 5'000'000; ++k) sum.add(Limits::max());
  EXPECT_EQ(sum.rounded(), Limits::infinity());
  for (int k = 0; k < 4'999'999; ++k) sum.add(Limits::lowest());
  EXPECT_EQ(sum.rounded(), Limits::max());
}

TYPED_TEST(ExactSumOf, InfinitiesAndNaNAreKept) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam inf = Limits::infinity(), nan = Limits::quiet_NaN();
  for (const auto& sum : {exact<TypeParam>, exact_on_ranks<TypeParam>}) {
    EXPECT_EQ(sum({inf, TypeParam(1), inf}), inf);
    EXPECT_EQ(sum({TypeParam(1), -inf}), -inf);
    EXPECT_TRUE(std::isnan(sum({inf, -inf})));
    EXPECT_TRUE(std::isnan(sum({TypeParam(1), nan, inf})));
  }
}

TEST(ExactSum, OfTwoDoublesIsTheirRoundedSum) {
  const auto terms = scattered(1, 20'000, 40);
  for (std::size_t k = 0; k + 1 < terms.size(); ++k)
    ASSERT_EQ(exact<double>({terms[k], terms[k + 1]}), terms[k] + terms[k + 1]);
}

TEST(ExactSum, OfTwoFloatsIsTheirRoundedSum) {
  const auto terms = scattered(2, 20'000, 20);
  for (std::size_t k = 0; k + 1 < terms.size(); ++k) {
    const auto a = static_cast<float>(terms[k]), b = static_cast<float>(terms[k + 1]);
    ASSERT_EQ(exact<float>({a, b}), a + b);
  }
}

TEST(ExactSum, IsTheCorrectlyRoundedSumOfWholeNumbers) {
  for (unsigned seed = 0; seed < 200; ++seed)
    for (const int exponent : {-1074, -300, 0, 900}) {
      const auto numbers = whole(seed, 1 + seed % 50, 53);
      ExactSum<double> sum;
      int128 total = 0;
      for (const std::int64_t n : numbers) {
        sum.add(std::ldexp(static_cast<double>(n), exponent));
        total += n;
      }
      ASSERT_EQ(sum.rounded(), std::ldexp(static_cast<double>(total), exponent)) << seed;
    }
}

TEST(ExactSum, OfFloatsIsRoundedOnce) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    std::vector<float> terms;
    std::int64_t total = 0;
    for (const std::int64_t n : whole(seed, 1 + seed % 50, 24)) {
      terms.push_back(std::ldexp(static_cast<float>(n), -140));
      total += n;
    }
    ASSERT_EQ(exact(terms), std::ldexp(static_cast<float>(total), -140)) << seed;
  }
}

TEST(ExactSum, TiesGoToTheEvenNeighbour) {
  const double tie = std::ldexp(1.0, -53);
  EXPECT_EQ(exact<double>({1, tie}), 1);
  EXPECT_EQ(exact<double>({1, tie, std::ldexp(1.0, -1074)}), std::nextafter(1.0, 2.0));
  EXPECT_EQ(exact<double>({std::nextafter(1.0, 2.0), tie}), 1 + std::ldexp(1.0, -51));
  EXPECT_EQ(exact<double>({-1, -tie}), -1);
}

TEST(ExactSum, HasTheSameBitsInEveryOrderAndGrouping) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    auto terms = scattered(seed, 300, 1000);
    const auto bits = std::bit_cast<std::uint64_t>(exact(terms));
    std::shuffle(terms.begin(), terms.end(), std::mt19937(seed));
    ExactSum<double> first, second;
    for (std::size_t k = 0; k < terms.size(); ++k) (k % 3 == 0 ? first : second).add(terms[k]);
    first.add(second);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(first.rounded()), bits);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(exact_on_ranks(terms)), bits);
  }
}

TEST(ExactSum, OfEverythingAndItsOppositeIsZero) {
  auto terms = scattered(7, 1000, 1000);
  for (std::size_t k = 0; k < 1000; ++k) terms.push_back(-terms[k]);
  std::shuffle(terms.begin(), terms.end(), std::mt19937(7));
  EXPECT_EQ(exact(terms), 0);
  EXPECT_EQ(exact_on_ranks(terms), 0);
}

}  // namespace
}  // namespace op2::core
