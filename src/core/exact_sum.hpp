// SPDX-License-Identifier: BSD-3-Clause
// Sums of floating-point values without rounding errors: the terms are added as integers and the
// result is rounded once, so that neither their order nor their grouping changes a bit. Of one
// value, of many at a time, and the sums of a thread, whose terms compiled code collects. Local.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <op2/types.hpp>

#include <core/loop_abi.hpp>

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

/// Blocks of terms are cut at three common binary digits, by adding and subtracting large numbers
/// (error-free vector transformation: Rump, Ogita and Oishi, "Accurate floating-point summation
/// part I", SIAM J. Sci. Comput. 31, 2008). The sums of the parts have no rounding errors, so that
/// only they are added to the integers; what is left is cut again.
/// Local. Cost of a term: with vectors of 8 lanes 0.4 ns in blocks of 1 024 and 1 ns in blocks of
/// 64, twice that if terms differ by more than 2^90; 4 ns if there are fewer than 32.
/// @param exponent  a guess: all terms are below 2^exponent. Becomes that of these terms. A wrong
///                  one costs a second pass.
void add_terms(ExactSum<double>& sum, std::span<const double> terms, int& exponent);

/// For terms that the caller cuts: below 2^exponent, and in places that it is to use.
void set_places(TermCut& cut, int exponent);

/// Adds terms that the caller has cut: each is below 2^(exponent + 2), and nothing of it was left.
/// @param cut  with the places of `exponent`, of at most 1 024 terms
void add_cut(ExactSum<double>& sum, const TermCut& cut, int exponent);

/// One by one.
void add_terms(ExactSum<float>& sum, std::span<const float> terms, int& exponent);

/// Memory for a block, a multiple of 64 bytes: about 0.4 KB for each double.
/// Precondition: is_rounded(type).
std::size_t term_block_bytes(Type type, int dim);

/// Makes the block at an address, of which that many bytes are aligned to 64: all sums are zero.
void start_terms(std::byte* block, Type type, int dim);

/// Adds the sums of one block to those of another of equal type and dim.
void merge_terms(std::byte* from, std::byte* into);

/// The sums of all terms, shape [dim].
template <class T>
std::span<ExactSum<T>> sums_of(std::byte* block);

}  // namespace op2::core
