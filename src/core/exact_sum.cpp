// SPDX-License-Identifier: BSD-3-Clause
#include <core/exact_sum.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

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

}  // namespace op2::core
