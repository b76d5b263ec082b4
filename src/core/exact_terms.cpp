// SPDX-License-Identifier: BSD-3-Clause
#include <core/exact_terms.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace op2::core {
namespace {

/// Terms of a block: 2^10.
constexpr int block = 1024, block_bits = 10;

/// Fewer terms are added faster one by one, in 4 ns each.
constexpr std::size_t fewest = 32;

/// Bits of a value.
constexpr int mantissa_bits = 52, exponent_offset = 1022;

/// The cuts neither overflow nor reach denormal numbers if all terms are below 2^e, with e in this
/// range; others are added one by one.
constexpr int lowest_exponent = -850, highest_exponent = 1000;

constexpr std::int64_t magnitude_mask = 0x7fff'ffff'ffff'ffff;

/// Values of a vector; narrower processors split it.
constexpr int width = 8;
using Values = double __attribute__((vector_size(8 * width)));
using Words = std::int64_t __attribute__((vector_size(8 * width)));

/// Memory for the terms of a block.
struct Terms {
  alignas(64) std::array<double, block> values;
};

/// The least e with |value| < 2^e; -1022 for denormal numbers and zero.
int exponent_of(double value) {
  return static_cast<int>(std::bit_cast<std::int64_t>(value) >> mantissa_bits) - exponent_offset;
}

/// `largest` becomes the larger magnitude in each lane; NaN is ignored.
__attribute__((always_inline)) inline void keep_largest(const Values& values, Values& largest) {
  Words bits;
  std::memcpy(&bits, &values, sizeof bits);
  bits &= magnitude_mask;
  Values magnitude;
  std::memcpy(&magnitude, &bits, sizeof bits);
  largest = magnitude > largest ? magnitude : largest;
}

__attribute__((always_inline)) inline double largest_of(const Values& values) {
  double largest = 0;
  for (int k = 0; k < width; ++k) largest = std::max(largest, values[k]);
  return largest;
}

/// What a cut of a block found.
struct Cut {
  double upper, lower;  ///< exact sums of the parts; not finite if a term is not
  double term, rest;    ///< the largest magnitudes: before the cut, and of what is below both parts
};

/// Stores what is below both parts; it may replace the terms. If all terms are below 2^e, each
/// upper part is a multiple of 2^(e - 42), and the sum of 2^10 of them is below 2^(e + 10): it has
/// 52 bits. The same holds for the lower parts, 43 digits further down.
__attribute__((always_inline)) inline Cut cut(std::span<const double> terms, Terms& below_both,
                                              int e) {
  const double above = std::ldexp(1.5, e + block_bits);
  const double between = std::ldexp(above, block_bits - 1 - mantissa_bits);
  Values upper{}, lower{}, most{}, rest{};
  for (std::size_t v = 0; v < terms.size(); v += width) {
    Values term;
    std::memcpy(&term, &terms[v], sizeof term);
    const Values high = (term + above) - above;
    const Values below = term - high;
    const Values low = (below + between) - between;
    const Values left = below - low;
    upper += high;
    lower += low;
    std::memcpy(&below_both.values[v], &left, sizeof left);
    keep_largest(term, most);
    keep_largest(left, rest);
  }
  Cut found{0, 0, largest_of(most), largest_of(rest)};
  for (int k = 0; k < width; ++k) {
    found.upper += upper[k];
    found.lower += lower[k];
  }
  return found;
}

/// Terms of whole vectors. The same text for several processors.
__attribute__((always_inline)) inline void add_block(ExactSum<double>& sum,
                                                     std::span<const double> terms, int& exponent) {
  Terms left;
  int e = exponent;
  while (e >= lowest_exponent && e <= highest_exponent) {
    const Cut found = cut(terms, left, e);
    if (!std::isfinite(found.upper)) break;
    const int needed = exponent_of(found.term);
    if (needed > e) {  // a wrong guess; what was left of earlier cuts has the right one
      e = needed;
      continue;
    }
    sum.add(found.upper);
    sum.add(found.lower);
    if (terms.data() != left.values.data())
      exponent = std::clamp(needed, lowest_exponent, highest_exponent);
    if (found.rest == 0) return;
    e = exponent_of(found.rest);
    terms = std::span(left.values).first(terms.size());
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
