// SPDX-License-Identifier: BSD-3-Clause
// Functions of <math.h> that are not of one or two numbers. Integers count as double.
#pragma once
template <class T, class U, class V> requires(op2_traits::mixes<T, U>() || op2_traits::mixes<U, V>())
inline double fma(T x, U y, V z) {
  return fma(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
}
template <class T> requires(op2_traits::is_integer<T>()) inline double ldexp(T x, int exponent) {
  return ldexp(static_cast<double>(x), exponent);
}
template <class T> requires(op2_traits::is_integer<T>()) inline double frexp(T x, int* exponent) {
  return frexp(static_cast<double>(x), exponent);
}
template <class T> requires(op2_traits::is_integer<T>()) inline int ilogb(T x) {
  return ilogb(static_cast<double>(x));
}
template <class T> requires(op2_traits::is_integer<T>()) inline double scalbn(T x, int exponent) {
  return scalbn(static_cast<double>(x), exponent);
}
namespace std {
using ::fma;
using ::frexp;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::llrint;
using ::llround;
using ::lrint;
using ::lround;
using ::modf;
using ::scalbn;
using ::signbit;
}  // namespace std
