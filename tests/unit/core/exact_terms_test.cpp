// SPDX-License-Identifier: BSD-3-Clause
// Terms that are added in blocks give the sums that they give one by one: exact ones, whatever
// their order and their sizes.
#include <core/exact_sum.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <core/memory.hpp>

namespace op2::core {
namespace {

using Limits = std::numeric_limits<double>;

std::uint64_t bits_one_by_one(const std::vector<double>& terms) {
  ExactSum<double> sum;
  for (const double term : terms) sum.add(term);
  return std::bit_cast<std::uint64_t>(sum.rounded());
}

std::uint64_t bits_in_blocks(const std::vector<double>& terms) {
  ExactSum<double> sum;
  int exponent = 0;
  add_terms(sum, terms, exponent);
  return std::bit_cast<std::uint64_t>(sum.rounded());
}

/// Terms of both signs, whose exponents are up to `exponents` from `middle`.
std::vector<double> random_terms(std::mt19937_64& random, int middle, int exponents) {
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(middle - exponents, middle + exponents);
  std::vector<double> terms(random() % 3000);
  for (double& term : terms) term = std::ldexp(mantissa(random), exponent(random));
  return terms;
}

TEST(ExactTerms, GiveTheSumOfOneAfterTheOther) {
  std::mt19937_64 random(1);
  for (const int middle : {0, 300, -300, 970, -840, -1000, -1060})
    for (const int exponents : {0, 3, 40, 60, 90, 200})
      for (int repeat = 0; repeat < 5; ++repeat) {
        const std::vector<double> terms = random_terms(random, middle, exponents);
        ASSERT_EQ(bits_in_blocks(terms), bits_one_by_one(terms)) << middle << " " << exponents;
      }
}

/// At the borders of what fits, and with what adds nothing between.
TEST(ExactTerms, OfPowersOfTwoAreExact) {
  for (int power = -60; power <= 60; ++power) {
    std::vector<double> terms(64, std::ldexp(1.0, power));
    for (std::size_t k = 0; k < terms.size(); k += 3) terms[k] = -0.0;
    for (std::size_t k = 1; k < terms.size(); k += 3) terms[k] = -std::ldexp(1.0, power - 53) / 3;
    for (int guess = power - 6; guess <= power + 6; ++guess) {
      ExactSum<double> sum;
      int exponent = guess;
      add_terms(sum, terms, exponent);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(sum.rounded()), bits_one_by_one(terms)) << guess;
    }
  }
}

TEST(ExactTerms, WhatCancelsLeavesWhatIsSmall) {
  std::vector<double> terms;
  for (int k = 0; k < 500; ++k) {
    terms.push_back(1e16 + k);
    terms.push_back(-1e16 - k);
    terms.push_back(1e-200);
  }
  std::shuffle(terms.begin(), terms.end(), std::mt19937_64(2));
  EXPECT_EQ(bits_in_blocks(terms), bits_one_by_one(terms));
  EXPECT_GT(std::bit_cast<double>(bits_in_blocks(terms)), 4.9e-198);
}

TEST(ExactTerms, InfinitiesAndNanStayWhatTheyAre) {
  std::vector<double> terms(100, 1.0);
  terms[50] = Limits::infinity();
  EXPECT_EQ(bits_in_blocks(terms), bits_one_by_one(terms));
  terms[51] = -Limits::infinity();
  EXPECT_TRUE(std::isnan(std::bit_cast<double>(bits_in_blocks(terms))));
  EXPECT_EQ(bits_in_blocks(std::vector<double>(3000, Limits::max())),
            std::bit_cast<std::uint64_t>(Limits::infinity()));
  EXPECT_EQ(bits_in_blocks({-0.0, -0.0}), std::bit_cast<std::uint64_t>(0.0));
  EXPECT_EQ(bits_in_blocks({}), std::bit_cast<std::uint64_t>(0.0));
}

TEST(ExactTerms, DoNotDependOnTheGuessOfTheirExponent) {
  std::mt19937_64 random(3);
  for (const int middle : {0, 600, -700})
    for (const int guess : {-2000, -1022, -850, -90, 0, 3, 90, 700, 1000, 1024, 3000}) {
      const std::vector<double> terms = random_terms(random, middle, 30);
      ExactSum<double> sum;
      int exponent = guess;
      add_terms(sum, terms, exponent);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(sum.rounded()), bits_one_by_one(terms)) << guess;
    }
}

TEST(ExactTerms, LearnTheExponent) {
  ExactSum<double> sum;
  int exponent = 0;
  add_terms(sum, std::vector<double>(64, 5.0), exponent);
  EXPECT_EQ(exponent, 3);
  add_terms(sum, std::vector<double>(64, 0x1p-90), exponent);
  EXPECT_EQ(exponent, 3) << "three cuts reach so far";
  add_terms(sum, std::vector<double>(64, 0x1p-300), exponent);
  EXPECT_EQ(exponent, -299);
}

/// Adds terms as generated code does: the k-th component gets `term` + k.
template <class T>
void put(std::byte* block, int dim, T term) {
  constexpr int stride = 5;
  std::vector<T> terms(static_cast<std::size_t>(dim * stride), 1000);
  for (int k = 0; k < dim; ++k) terms[k * stride] = term + static_cast<T>(k);
  auto& code = *reinterpret_cast<TermBlock*>(block);
  code.add(&code, terms.data(), stride, 1);
}

template <class T>
class TermBlocks : public testing::Test {};
using Rounded = testing::Types<float, double>;
TYPED_TEST_SUITE(TermBlocks, Rounded);

TYPED_TEST(TermBlocks, OfTwoThreadsAddUp) {
  const Type type = sizeof(TypeParam) == 4 ? Type::f32 : Type::f64;
  constexpr int dim = 3, terms = 2500;
  const std::size_t bytes = term_block_bytes(type, dim);
  const Buffer memory = allocate_zeroed(2 * bytes);
  for (int thread = 0; thread < 2; ++thread) start_terms(memory.get() + thread * bytes, type, dim);
  std::vector<ExactSum<TypeParam>> expected(dim);
  for (int k = 0; k < terms; ++k) {
    const auto term = static_cast<TypeParam>(k % 61) / 7;
    put(memory.get() + (k % 3 == 0 ? bytes : 0), dim, term);
    for (int c = 0; c < dim; ++c) expected[c].add(term + static_cast<TypeParam>(c));
  }
  merge_terms(memory.get() + bytes, memory.get());
  const auto sums = sums_of<TypeParam>(memory.get());
  ASSERT_EQ(sums.size(), expected.size());
  for (int c = 0; c < dim; ++c) EXPECT_EQ(sums[c].rounded(), expected[c].rounded());
}

TEST(TermBlock, StartsAnewWhateverWasThere) {
  const Buffer memory = allocate_zeroed(term_block_bytes(Type::f64, 1));
  for (int repeat = 0; repeat < 2; ++repeat) {
    start_terms(memory.get(), Type::f64, 1);
    put(memory.get(), 1, 2.5);
    EXPECT_EQ(sums_of<double>(memory.get())[0].rounded(), 2.5);
  }
}

/// As generated code cuts them: 3, and 2^-140 at the third place.
TEST(TermBlock, AddsOnceWhatCodeHasCut) {
  const Buffer memory = allocate_zeroed(term_block_bytes(Type::f64, 1));
  start_terms(memory.get(), Type::f64, 1);
  auto& code = *reinterpret_cast<TermBlock*>(memory.get());
  TermCut& cut = code.cuts[0];
  for (const double term : {3.0, 0x1p-140}) {
    double rest = term;
    for (int k = 0; k < 3; ++k) {
      const volatile double part = rest + cut.places[k];
      cut.sums[k] += std::bit_cast<std::uint64_t>(static_cast<double>(part));
      rest -= part - cut.places[k];
    }
    ASSERT_EQ(rest, 0);
  }
  cut.terms = cut.deep = 2;
  const double more = -3;
  for (const int count : {0, 1}) code.add(&code, &more, 1, count);
  EXPECT_EQ(sums_of<double>(memory.get())[0].rounded(), 0x1p-140);
}

}  // namespace
}  // namespace op2::core
