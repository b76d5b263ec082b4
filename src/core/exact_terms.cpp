// SPDX-License-Identifier: BSD-3-Clause
#include <core/exact_terms.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace op2::core {
namespace {

/// Terms of a block: the integers that are added have less than 53 bits each.
constexpr int block = 1024;

/// Fewer terms are added faster one by one, in 4 ns each.
constexpr std::size_t fewest = 32;

/// Bits of a value.
constexpr int mantissa_bits = 52, exponent_offset = 1022;

/// The first number that a cut adds is 2^headroom times as large as the terms, so that somewhat
/// larger terms need no other one.
constexpr int headroom = 3;

/// The cuts neither overflow nor reach denormal numbers if all terms are below 2^e, with e in this
/// range; others are added one by one.
constexpr int lowest_exponent = -850, highest_exponent = 1000;

constexpr std::uint64_t magnitude_mask = 0x7fff'ffff'ffff'ffff;

/// Values of a vector; narrower processors split it.
constexpr int width = 8;
using Values = double __attribute__((vector_size(8 * width)));
using Words = std::uint64_t __attribute__((vector_size(8 * width)));

/// Memory for the terms of a block.
struct Terms {
  alignas(64) std::array<double, block> values;
};

/// The least e with |value| < 2^e; -1022 for denormal numbers and zero.
int exponent_of(double value) {
  return static_cast<int>(std::bit_cast<std::int64_t>(value) >> mantissa_bits) - exponent_offset;
}

/// 2^e. Precondition: it is a normal number.
double power_of_two(int e) {
  return std::bit_cast<double>((std::int64_t{e} + exponent_offset + 1) << mantissa_bits);
}

/// The bits of values.
__attribute__((always_inline)) inline void take_bits(const Values& values, Words& words) {
  std::memcpy(&words, &values, sizeof words);
}

/// The largest magnitude; NaN is ignored.
__attribute__((always_inline)) inline double largest_of(std::span<const double> terms) {
  Values largest{};
  for (std::size_t v = 0; v < terms.size(); v += width) {
    Values term;
    std::memcpy(&term, &terms[v], sizeof term);
    Words bits;
    take_bits(term, bits);
    bits &= magnitude_mask;
    Values magnitude;
    std::memcpy(&magnitude, &bits, sizeof bits);
    largest = magnitude > largest ? magnitude : largest;
  }
  double most = 0;
  for (int k = 0; k < width; ++k) most = std::max(most, largest[k]);
  return most;
}

/// What a cut of a block found.
struct Cut {
  std::int64_t upper, lower;  ///< sums of the parts, in units of 2^(e - 52) and 2^(e - 104)
  bool fits;                  ///< all terms are below 2^(e - 1); otherwise the rest is undefined
  bool is_whole;              ///< nothing is left
};

/// Stores what is below both parts; it may replace the terms. A term below 2^(e - 1) that is added
/// to 1.5 * 2^e stays between 2^e and 2^(e + 1), where the bits of values are consecutive integers
/// and the unit is 2^(e - 52). So the upper parts are added as these integers, and do not overflow.
/// What was rounded away, at most half a unit, is cut again.
__attribute__((always_inline)) inline Cut cut(std::span<const double> terms, Terms& below_both,
                                              int e) {
  const double above = 1.5 * power_of_two(e), between = 1.5 * power_of_two(e - mantissa_bits);
  const auto above_bits = std::bit_cast<std::uint64_t>(above);
  Words upper{}, lower{}, changed{}, left{};
  for (std::size_t v = 0; v < terms.size(); v += width) {
    Values term;
    std::memcpy(&term, &terms[v], sizeof term);
    const Values high = term + above;
    const Values below = term - (high - above);
    const Values low = below + between;
    const Values rest = below - (low - between);
    std::memcpy(&below_both.values[v], &rest, sizeof rest);
    Words high_bits, low_bits, rest_bits;
    take_bits(high, high_bits);
    take_bits(low, low_bits);
    take_bits(rest, rest_bits);
    upper += high_bits;
    lower += low_bits;
    changed |= high_bits ^ above_bits;
    left |= rest_bits;
  }
  // The sums wrap around, also in what the two numbers have added.
  std::uint64_t sums[] = {-above_bits * terms.size(),
                          -std::bit_cast<std::uint64_t>(between) * terms.size()};
  std::uint64_t all_changed = 0, all_left = 0;
  for (int k = 0; k < width; ++k) {
    sums[0] += upper[k];
    sums[1] += lower[k];
    all_changed |= changed[k];
    all_left |= left[k];
  }
  return {static_cast<std::int64_t>(sums[0]), static_cast<std::int64_t>(sums[1]),
          all_changed >> mantissa_bits == 0,
          (all_left & magnitude_mask) == 0};  // -0 is nothing, too
}

/// Adds value * 2^e, in two parts that are exact.
void add_scaled(ExactSum<double>& sum, std::int64_t value, int e) {
  constexpr int half = 31;
  const std::int64_t high = value >> half, low = value - (high << half);
  sum.add(static_cast<double>(high) * power_of_two(e + half));
  sum.add(static_cast<double>(low) * power_of_two(e));
}

/// Terms of whole vectors. The same text for several processors.
__attribute__((always_inline)) inline void add_block(ExactSum<double>& sum,
                                                     std::span<const double> terms, int& exponent) {
  Terms left;
  int e = exponent;
  bool is_guess = true;
  while (e >= lowest_exponent && e <= highest_exponent) {
    const Cut found = cut(terms, left, e + headroom);
    if (is_guess && !(found.fits && found.is_whole)) {  // perhaps it is wrong
      is_guess = false;
      const int needed = exponent_of(largest_of(terms));
      exponent = std::clamp(needed, lowest_exponent, highest_exponent);
      if (const bool is_right = found.fits && needed + headroom >= e; !is_right) {
        e = needed;
        continue;
      }
    }
    if (!found.fits) break;  // NaN or infinity
    add_scaled(sum, found.upper, e + headroom - mantissa_bits);
    add_scaled(sum, found.lower, e + headroom - 2 * mantissa_bits);
    if (found.is_whole) return;
    terms = std::span(left.values).first(terms.size());
    e = exponent_of(largest_of(terms));
  }
  for (const double term : terms) sum.add(term);
}

using AddBlock = void (*)(ExactSum<double>&, std::span<const double>, int&);

void add_block_anywhere(ExactSum<double>& sum, std::span<const double> terms, int& exponent) {
  add_block(sum, terms, exponent);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void add_block_avx2(ExactSum<double>& sum,
                                                    std::span<const double> terms, int& exponent) {
  add_block(sum, terms, exponent);
}
__attribute__((target("avx512f"))) void add_block_avx512(ExactSum<double>& sum,
                                                         std::span<const double> terms,
                                                         int& exponent) {
  add_block(sum, terms, exponent);
}
AddBlock best_for_this_processor() {
  if (__builtin_cpu_supports("avx512f")) return add_block_avx512;
  return __builtin_cpu_supports("avx2") ? add_block_avx2 : add_block_anywhere;
}
#else
AddBlock best_for_this_processor() {
  return add_block_anywhere;
}
#endif

}  // namespace

void add_terms(ExactSum<double>& sum, std::span<const double> terms, int& exponent) {
  static const AddBlock add = best_for_this_processor();
  while (terms.size() >= fewest) {
    const std::size_t now = std::min<std::size_t>(block, terms.size() / width * width);
    add(sum, terms.first(now), exponent);
    terms = terms.subspan(now);
  }
  for (const double term : terms) sum.add(term);
}

void add_terms(ExactSum<float>& sum, std::span<const float> terms, int& /*exponent*/) {
  for (const float term : terms) sum.add(term);
}

}  // namespace op2::core
