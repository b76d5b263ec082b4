// SPDX-License-Identifier: BSD-3-Clause
// Sums of floating-point values without rounding errors: the terms are added as integers and the
// result is rounded once, so that neither their order nor their grouping changes a bit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <op2/types.hpp>

namespace op2::core {

/// The exact sum of any number of float or double values. Local. Cost of a term: a few integer
/// operations. Defined for float and double.
template <class T>
class ExactSum {
 public:
  static constexpr int limb_bits = 40;
  static constexpr int flag_bits = 21;    ///< of the last word: a field per flag that counts ranks
  static constexpr int lowest_exponent =  ///< of the unit of the integer: the least denormal number
      std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  /// The highest limb holds the remaining bits of the greatest value, 32 bits for carries, and the
  /// sign.
  static constexpr std::size_t limbs =
      (std::numeric_limits<T>::max_exponent - lowest_exponent + 32 - 63 + limb_bits - 1) /
          limb_bits +
      1;
  static constexpr std::size_t words = limbs + 1;  ///< of a message: 54 for double, 9 for float

  void add(T term);
  void add(const ExactSum& other);

  /// The sum, rounded to nearest, ties to even; zero is positive. Overflow gives infinity; NaN if a
  /// term was NaN, or if there were infinities of both signs.
  T rounded() const;

  /// Integers that may be added word by word, in any order, over up to 2^20 ranks. Few are not
  /// zero if the terms differ little in size, whatever the sign of the sum.
  std::array<std::int64_t, words> to_words() const;
  /// From one rank's words, or from sums of the words of several.
  static ExactSum from_words(std::span<const std::int64_t, words> summed);

 private:
  /// Brings all limbs but the highest, which has the sign, to [0, 2^limb_bits).
  void carry();
  /// Carries, and changes the sign if it is negative; true if it has.
  bool make_positive();

  std::array<std::int64_t, limbs> limbs_{};                       ///< ascending weights
  bool nan_ = false, infinite_ = false, minus_infinite_ = false;  ///< whether there was such a term
  int terms_ = 0;                                                 ///< since the last carry
};

extern template class ExactSum<float>;
extern template class ExactSum<double>;

/// Whether sums of a type are rounded: those of float and double.
inline bool is_rounded(Type type) {
  return type == Type::f32 || type == Type::f64;
}

/// Calls action<T>() with float or double. Precondition: is_rounded(type).
template <class Action>
void with_rounded(Type type, const Action& action) {
  if (type == Type::f64)
    action.template operator()<double>();
  else
    action.template operator()<float>();
}

}  // namespace op2::core
