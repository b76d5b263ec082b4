// SPDX-License-Identifier: BSD-3-Clause
// <limits> for kernels.
#pragma once

#include <op2_traits>
namespace std {
template <class T> struct numeric_limits {
  static constexpr bool is_specialized = false;
};
template <class T> requires(op2_traits::is_real<T>()) struct numeric_limits<T> {
  typedef op2_traits::real<T> values;
  static constexpr bool is_specialized = true, is_integer = false, is_signed = true, is_exact = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, is_iec559 = true;
  static constexpr int radix = 2, digits = values::digits, digits10 = values::digits10;
  static constexpr int max_digits10 = values::max_digits10;
  static constexpr int max_exponent = values::exponent, min_exponent = 3 - values::exponent;
  static constexpr int max_exponent10 = values::exponent10, min_exponent10 = 1 - values::exponent10;
  static constexpr T max() noexcept { return values::greatest; }
  static constexpr T min() noexcept { return values::least; }
  static constexpr T lowest() noexcept { return -values::greatest; }
  static constexpr T epsilon() noexcept { return values::epsilon; }
  static constexpr T round_error() noexcept { return T(0.5); }
  static constexpr T infinity() noexcept { return op2_traits::real_of(values::infinity); }
  static constexpr T quiet_NaN() noexcept { return op2_traits::real_of(values::nan); }
  static constexpr T denorm_min() noexcept { return op2_traits::real_of(values::smallest); }
};
template <class T> requires(op2_traits::is_integer<T>()) struct numeric_limits<T> {
  static constexpr bool is_specialized = true, is_integer = true, is_signed = T(-1) < T(0);
  static constexpr bool is_exact = true, has_infinity = false, has_quiet_NaN = false, is_iec559 = false;
  static constexpr int radix = 2, digits = T(2) == T(1) ? 1 : 8 * sizeof(T) - is_signed;
  static constexpr int digits10 = digits * 643 / 2136;
  static constexpr T max() noexcept { return is_signed ? T(((T(1) << (digits - 1)) - 1) * 2 + 1) : T(-1); }
  static constexpr T min() noexcept { return is_signed ? T(-max() - 1) : T(0); }
  static constexpr T lowest() noexcept { return min(); }
};
}  // namespace std
