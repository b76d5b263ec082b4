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

/// The largest magnitude, as bits, which have the order of the values.
__attribute__((always_inline)) inline std::int64_t largest_of(std::span<const double> terms) {
  Words most{};
  for (std::size_t v = 0; v < terms.size(); v += width) {
    Words bits;
    std::memcpy(&bits, &terms[v], sizeof bits);
    bits &= magnitude_mask;
    most = bits > most ? bits : most;
  }
  std::int64_t largest = 0;
  for (int k = 0; k < width; ++k) largest = std::max<std::int64_t>(largest, most[k]);
  return largest;
}

/// What a cut of a block found.
struct Cut {
  double upper, lower;  ///< exact sums of the parts
  bool rest;            ///< whether anything is left
};

/// Stores what is below both parts; it may replace the terms. All terms are below 2^e, so each
/// upper part is a multiple of 2^(e - 42), and the sum of 2^10 of them is below 2^(e + 10): it has
/// 52 bits. The same holds for the lower parts, 43 digits further down.
__attribute__((always_inline)) inline Cut cut(std::span<const double> terms, Terms& below_both,
                                              double above, double between) {
  Values upper{}, lower{};
  Words rest{};
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
    Words bits;
    std::memcpy(&bits, &left, sizeof bits);
    rest |= bits;
  }
  Cut found{0, 0, false};
  for (int k = 0; k < width; ++k) {
    found.upper += upper[k];
    found.lower += lower[k];
    found.rest = found.rest || (rest[k] & magnitude_mask) != 0;
  }
  return found;
}

/// Terms of whole vectors. The same text for several processors.
__attribute__((always_inline)) inline void add_block(ExactSum<double>& sum,
                                                     std::span<const double> terms) {
  Terms left;
  for (bool rest = true; rest;) {
    const std::int64_t largest = largest_of(terms);
    if (largest == 0) return;
    const int e = static_cast<int>(largest >> mantissa_bits) - exponent_offset;
    if (e < lowest_exponent || e > highest_exponent) {
      for (const double term : terms) sum.add(term);
      return;
    }
    const double above = std::ldexp(1.5, e + block_bits);
    const Cut found = cut(terms, left, above, std::ldexp(above, block_bits - 1 - mantissa_bits));
    sum.add(found.upper);
    sum.add(found.lower);
    rest = found.rest;
    terms = std::span(left.values).first(terms.size());
  }
}

using AddBlock = void (*)(ExactSum<double>&, std::span<const double>);

void add_block_anywhere(ExactSum<double>& sum, std::span<const double> terms) {
  add_block(sum, terms);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void add_block_avx2(ExactSum<double>& sum,
                                                    std::span<const double> terms) {
  add_block(sum, terms);
}
__attribute__((target("avx512f"))) void add_block_avx512(ExactSum<double>& sum,
                                                         std::span<const double> terms) {
  add_block(sum, terms);
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

/// Adds the terms that fill no vector, with zeros.
void add_rest(ExactSum<double>& sum, std::span<const double> terms, AddBlock add) {
  std::array<double, width> padded{};
  std::copy(terms.begin(), terms.end(), padded.begin());
  add(sum, padded);
}

}  // namespace

void add_terms(ExactSum<double>& sum, std::span<const double> terms) {
  static const AddBlock add = best_for_this_processor();
  while (terms.size() >= width) {
    const std::size_t now = std::min<std::size_t>(block, terms.size() / width * width);
    add(sum, terms.first(now));
    terms = terms.subspan(now);
  }
  if (!terms.empty()) add_rest(sum, terms, add);
}

void add_terms(ExactSum<float>& sum, std::span<const float> terms) {
  for (const float term : terms) sum.add(term);
}

}  // namespace op2::core
