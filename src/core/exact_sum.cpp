// SPDX-License-Identifier: BSD-3-Clause
#include <core/exact_sum.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>
#include <type_traits>

#include <core/arithmetic.hpp>

namespace op2::core {
namespace {

constexpr int limb_bits = ExactSum<double>::limb_bits;
constexpr std::int64_t limb_mask = (std::int64_t{1} << limb_bits) - 1;

/// Terms between two carries: each adds less than 2^limb_bits to a limb.
constexpr int max_terms = 1 << 22;

constexpr int flag_bits = ExactSum<double>::flag_bits;
constexpr std::int64_t flag_mask = (std::int64_t{1} << flag_bits) - 1;

/// A finite value: (-1)^negative * mantissa * 2^shift, in units of the least denormal number.
struct Parts {
  std::uint64_t mantissa;
  int shift;
  bool negative;
};

template <class T>
Parts parts_of(T value) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr int stored = std::numeric_limits<T>::digits - 1;
  const auto bits = std::bit_cast<Bits>(value);
  const std::uint64_t fraction = bits & ((Bits{1} << stored) - 1);
  const int exponent = static_cast<int>(bits << 1 >> (stored + 1));
  const bool negative = bits >> (8 * sizeof(T) - 1) != 0;
  if (exponent == 0) return {fraction, 0, negative};
  return {fraction | std::uint64_t{1} << stored, exponent - 1, negative};
}

/// `count` bits of a number with normal limbs, from bit `first` on.
std::uint64_t bits_of(std::span<const std::int64_t> limbs, int first, int count) {
  std::uint64_t bits = 0;
  for (int got = 0; got < count;) {
    const int limb = (first + got) / limb_bits, skipped = (first + got) % limb_bits;
    const auto value = static_cast<std::uint64_t>(limbs[limb]) >> skipped;
    bits |= value << got;
    got += limb_bits - skipped;
  }
  return bits & ((std::uint64_t{1} << count) - 1);
}

/// Whether any of the bits below `end` is set.
bool any_bit_below(std::span<const std::int64_t> limbs, int end) {
  const std::size_t whole = end / limb_bits;
  if (std::any_of(limbs.begin(), limbs.begin() + end / limb_bits, [](auto l) { return l != 0; }))
    return true;
  return (limbs[whole] & ((std::int64_t{1} << end % limb_bits) - 1)) != 0;
}

/// The position of the highest bit that is set, or -1.
int highest_bit(std::span<const std::int64_t> limbs) {
  for (std::size_t k = limbs.size(); k-- > 0;)
    if (limbs[k] != 0)
      return static_cast<int>(k) * limb_bits +
             static_cast<int>(std::bit_width(static_cast<std::uint64_t>(limbs[k]))) - 1;
  return -1;
}

/// The nearest value to a number that is not negative.
template <class T>
T nearest(std::span<const std::int64_t> limbs) {
  constexpr int digits = std::numeric_limits<T>::digits;
  const int top = highest_bit(limbs);
  if (top < 0) return 0;
  if (top >= std::numeric_limits<T>::max_exponent - ExactSum<T>::lowest_exponent)
    return std::numeric_limits<T>::infinity();
  const int dropped = std::max(0, top + 1 - digits);
  std::uint64_t kept = bits_of(limbs, dropped, top + 1 - dropped);
  if (dropped > 0 && bits_of(limbs, dropped - 1, 1) != 0 &&
      ((kept & 1) != 0 || any_bit_below(limbs, dropped - 1)))
    ++kept;
  return std::ldexp(static_cast<T>(kept), dropped + ExactSum<T>::lowest_exponent);
}

}  // namespace

template <class T>
void ExactSum<T>::add(T term) {
  if (!std::isfinite(term)) {
    (std::isnan(term) ? nan_ : term > 0 ? infinite_ : minus_infinite_) = true;
    return;
  }
  const Parts parts = parts_of(term);
  const int skipped = parts.shift % limb_bits;
  // The mantissa covers three limbs at most; each gets its bits of it with the sign of the term.
  const std::uint64_t low = parts.mantissa << skipped & static_cast<std::uint64_t>(limb_mask);
  const std::uint64_t rest = parts.mantissa >> (limb_bits - skipped);
  const std::uint64_t portions[] = {low, rest & static_cast<std::uint64_t>(limb_mask),
                                    rest >> limb_bits};
  std::size_t limb = parts.shift / limb_bits;
  for (const std::uint64_t portion : portions) {
    if (portion == 0 && limb >= limbs) break;
    const auto value = static_cast<std::int64_t>(portion);
    limbs_[limb++] += parts.negative ? -value : value;
  }
  if (++terms_ == max_terms) carry();
}

template <class T>
void ExactSum<T>::add(const ExactSum& other) {
  ExactSum normal = other;
  normal.carry();
  for (std::size_t k = 0; k < limbs; ++k) limbs_[k] += normal.limbs_[k];
  nan_ = nan_ || other.nan_;
  infinite_ = infinite_ || other.infinite_;
  minus_infinite_ = minus_infinite_ || other.minus_infinite_;
  if (++terms_ == max_terms) carry();
}

template <class T>
void ExactSum<T>::carry() {
  for (std::size_t k = 0; k + 1 < limbs; ++k) {
    limbs_[k + 1] += limbs_[k] >> limb_bits;  // rounds down, also what is negative
    limbs_[k] &= limb_mask;
  }
  terms_ = 0;
}

template <class T>
bool ExactSum<T>::make_positive() {
  carry();
  if (limbs_.back() >= 0) return false;
  for (std::int64_t& limb : limbs_) limb = -limb;
  carry();
  return true;
}

template <class T>
T ExactSum<T>::rounded() const {
  using Limits = std::numeric_limits<T>;
  if (nan_ || (infinite_ && minus_infinite_)) return Limits::quiet_NaN();
  if (infinite_ || minus_infinite_) return infinite_ ? Limits::infinity() : -Limits::infinity();
  ExactSum size = *this;
  const bool negative = size.make_positive();
  const T result = nearest<T>(size.limbs_);
  return negative ? -result : result;
}

template <class T>
std::array<std::int64_t, ExactSum<T>::words> ExactSum<T>::to_words() const {
  ExactSum size = *this;
  const std::int64_t sign = size.make_positive() ? -1 : 1;
  std::array<std::int64_t, words> result{};
  std::ranges::transform(size.limbs_, result.begin(), [&](auto limb) { return sign * limb; });
  result.back() = std::int64_t{nan_} | std::int64_t{infinite_} << flag_bits |
                  std::int64_t{minus_infinite_} << 2 * flag_bits;
  return result;
}

template <class T>
ExactSum<T> ExactSum<T>::from_words(std::span<const std::int64_t, words> summed) {
  ExactSum sum;
  std::copy(summed.begin(), summed.end() - 1, sum.limbs_.begin());
  sum.carry();
  const std::int64_t flags = summed.back();
  sum.nan_ = (flags & flag_mask) != 0;
  sum.infinite_ = (flags >> flag_bits & flag_mask) != 0;
  sum.minus_infinite_ = (flags >> 2 * flag_bits) != 0;
  return sum;
}

template class ExactSum<float>;
template class ExactSum<double>;

namespace {

/// Terms of a block: the integers that are added have less than 53 bits each.
constexpr int block_terms = 1024;

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
  alignas(64) std::array<double, block_terms> values;
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
    const std::size_t now = std::min<std::size_t>(block_terms, terms.size() / width * width);
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

namespace {

constexpr std::size_t block_alignment = 64;

/// What is at the beginning of a block; of each component, the sum follows, what code cuts, and the
/// exponent of the last terms.
struct Head {
  TermBlock code;
  Type type;
  std::int32_t dim;
};
static_assert(sizeof(Head) <= block_alignment);

template <class T>
ExactSum<T>* sums_in(TermBlock* block) {
  return reinterpret_cast<ExactSum<T>*>(reinterpret_cast<std::byte*>(block) + block_alignment);
}

template <class T>
TermCut* cuts_in(TermBlock* block, int dim) {
  return reinterpret_cast<TermCut*>(sums_in<T>(block) + dim);
}

/// Adds terms of a component that have been cut, and others.
void add_component(ExactSum<double>& sum, std::span<const double> terms, TermCut& cut,
                   int& exponent) {
  const int before = exponent;
  const bool any_cut = cut.terms > 0;
  if (any_cut) add_cut(sum, cut, exponent);
  cut.terms = 0;
  add_terms(sum, terms, exponent);
  if (any_cut) exponent = std::max(exponent, before);  // the others may be the smallest
  if (exponent != before) set_places(cut, exponent);
}

void add_component(ExactSum<float>& sum, std::span<const float> terms, TermCut& /*cut*/,
                   int& exponent) {
  add_terms(sum, terms, exponent);
}

void add(TermBlock* block, const void* terms, std::int64_t stride, std::int64_t count) noexcept {
  const Head& head = *reinterpret_cast<const Head*>(block);
  with_rounded(head.type, [&]<class T>() {
    ExactSum<T>* const sums = sums_in<T>(block);
    int* const exponents = reinterpret_cast<int*>(block->cuts + head.dim);
    for (int k = 0; k < head.dim; ++k)
      add_component(
          sums[k],
          std::span(static_cast<const T*>(terms) + k * stride, static_cast<std::size_t>(count)),
          block->cuts[k], exponents[k]);
  });
}

}  // namespace

std::size_t term_block_bytes(Type type, int dim) {
  const std::size_t sum = type == Type::f64 ? sizeof(ExactSum<double>) : sizeof(ExactSum<float>);
  const std::size_t each = sum + sizeof(TermCut) + sizeof(int);
  return round_up(block_alignment + each * static_cast<std::size_t>(dim), block_alignment);
}

void start_terms(std::byte* block, Type type, int dim) {
  Head* const head = new (block) Head{{add, nullptr}, type, dim};
  with_rounded(type, [&]<class T>() {
    ExactSum<T>* const sums = sums_in<T>(&head->code);
    for (int k = 0; k < dim; ++k) new (&sums[k]) ExactSum<T>();
    head->code.cuts = cuts_in<T>(&head->code, dim);
  });
  for (int k = 0; k < dim; ++k) set_places(*new (&head->code.cuts[k]) TermCut(), 0);
  std::fill_n(reinterpret_cast<int*>(head->code.cuts + dim), dim, 0);
}

template <class T>
std::span<ExactSum<T>> sums_of(std::byte* block) {
  Head& head = *reinterpret_cast<Head*>(block);
  return {sums_in<T>(&head.code), static_cast<std::size_t>(head.dim)};
}

template std::span<ExactSum<float>> sums_of(std::byte*);
template std::span<ExactSum<double>> sums_of(std::byte*);

void merge_terms(std::byte* from, std::byte* into) {
  with_rounded(reinterpret_cast<const Head*>(from)->type, [&]<class T>() {
    const auto more = sums_of<T>(from), sums = sums_of<T>(into);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k].add(more[k]);
  });
}

}  // namespace op2::core
