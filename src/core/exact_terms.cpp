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

/// Cuts of a term.
constexpr int levels = 3;

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

/// Terms that were cut.
struct BlockCut {
  double places[levels];
  std::uint64_t sums[levels];
  std::uint64_t changed;  ///< the bits in which any of the first differ from `places[0]`
  std::uint64_t left;     ///< the bits of all that is left
};

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

/// The places of cuts of terms below 2^(e - 1).
void find_places(double (&places)[levels], int e) {
  for (int k = 0; k < levels; ++k) places[k] = 1.5 * power_of_two(e - k * mantissa_bits);
}

/// Stores what is left; it may replace the terms. A term below 2^(e - 1) that is added to 1.5 * 2^e
/// stays between 2^e and 2^(e + 1), where the bits of values are consecutive integers and the unit
/// is 2^(e - 52). So the upper parts are added as these integers, and do not overflow. What was
/// rounded away, at most half a unit, is cut again, in the same way.
__attribute__((always_inline)) inline void cut_all(std::span<const double> terms, Terms& rests,
                                                   BlockCut& cut) {
  const auto first = std::bit_cast<std::uint64_t>(cut.places[0]);
  Words sums[levels]{}, changed{}, left{};
  for (std::size_t v = 0; v < terms.size(); v += width) {
    Values rest;
    std::memcpy(&rest, &terms[v], sizeof rest);
    for (int k = 0; k < levels; ++k) {
      const Values part = rest + cut.places[k];
      rest = rest - (part - cut.places[k]);
      Words bits;
      take_bits(part, bits);
      sums[k] += bits;
      if (k == 0) changed |= bits ^ first;
    }
    std::memcpy(&rests.values[v], &rest, sizeof rest);
    Words bits;
    take_bits(rest, bits);
    left |= bits;
  }
  cut.changed = cut.left = 0;
  for (int k = 0; k < levels; ++k) {
    cut.sums[k] = 0;
    for (int lane = 0; lane < width; ++lane) cut.sums[k] += sums[k][lane];
  }
  for (int lane = 0; lane < width; ++lane) {
    cut.changed |= changed[lane];
    cut.left |= left[lane];
  }
}

/// The unit of what is cut at place k of terms below 2^e, as a power of two.
int unit_of(int e, int k) {
  return e + headroom - (k + 1) * mantissa_bits;
}

/// Whether all terms were below 2^(e - 1); otherwise what is left is undefined.
bool fits(const BlockCut& cut) {
  return cut.changed >> mantissa_bits == 0;
}

/// Whether nothing is left; -0 is nothing, too.
bool is_whole(const BlockCut& cut) {
  return (cut.left & magnitude_mask) == 0;
}

/// Adds value * 2^e, in two parts that are exact.
void add_scaled(ExactSum<double>& sum, std::int64_t value, int e) {
  constexpr int half = 31;
  const std::int64_t high = value >> half, low = value - (high << half);
  sum.add(static_cast<double>(high) * power_of_two(e + half));
  sum.add(static_cast<double>(low) * power_of_two(e));
}

/// What was cut at one place.
/// @param bits   the sum of the bits
/// @param terms  that were cut there
/// @param unit   a bit is 2^unit
void add_parts(ExactSum<double>& sum, double place, std::uint64_t bits, std::uint64_t terms,
               int unit) {
  // The sum wraps around, also in what the place has added.
  const std::uint64_t added = std::bit_cast<std::uint64_t>(place) * terms;
  add_scaled(sum, static_cast<std::int64_t>(bits - added), unit);
}

/// Terms of whole vectors. The same text for several processors.
__attribute__((always_inline)) inline void add_block(ExactSum<double>& sum,
                                                     std::span<const double> terms, int& exponent) {
  Terms left;
  BlockCut cut;
  int e = exponent;
  bool is_guess = true;
  while (e >= lowest_exponent && e <= highest_exponent) {
    find_places(cut.places, e + headroom);
    cut_all(terms, left, cut);
    if (is_guess && !(fits(cut) && is_whole(cut))) {  // perhaps it is wrong
      is_guess = false;
      const int needed = exponent_of(largest_of(terms));
      exponent = std::clamp(needed, lowest_exponent, highest_exponent);
      if (const bool is_right = fits(cut) && needed + headroom >= e; !is_right) {
        e = needed;
        continue;
      }
    }
    if (!fits(cut)) break;  // NaN or infinity
    for (int k = 0; k < levels; ++k)
      add_parts(sum, cut.places[k], cut.sums[k], terms.size(), unit_of(e, k));
    if (is_whole(cut)) return;
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

void set_places(TermCut& cut, int exponent) {
  find_places(cut.places, std::clamp(exponent, lowest_exponent, highest_exponent) + headroom);
}

void add_cut(ExactSum<double>& sum, const TermCut& cut, int exponent) {
  const int e = std::clamp(exponent, lowest_exponent, highest_exponent);
  const std::int64_t terms[levels] = {cut.terms, cut.terms, cut.deep};
  for (int k = 0; k < levels; ++k)
    add_parts(sum, cut.places[k], cut.sums[k], static_cast<std::uint64_t>(terms[k]), unit_of(e, k));
}

void add_terms(ExactSum<float>& sum, std::span<const float> terms, int& /*exponent*/) {
  for (const float term : terms) sum.add(term);
}

}  // namespace op2::core
