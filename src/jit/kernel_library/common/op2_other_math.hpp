// SPDX-License-Identifier: BSD-3-Clause
// The end of <math.h>: functions that are not of one or two numbers, of which integers count as double.
#pragma once

#include <op2_traits>
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

// The numbers of the classes are those of the macros FP_NAN and so on.
template <class T> requires(op2_traits::is_real<T>()) constexpr int fpclassify(T x) {
  const T size = x < 0 ? -x : x;
  if (!(x == x)) return 0;
  if (size > op2_traits::real<T>::greatest) return 1;
  return size == 0 ? 2 : size < op2_traits::real<T>::least ? 3 : 4;
}
template <class T> requires(op2_traits::is_integer<T>()) constexpr int fpclassify(T x) {
  return x == 0 ? 2 : 4;
}
template <class T> requires(op2_traits::is_number<T>()) constexpr bool isnormal(T x) {
  return fpclassify(x) == 4;
}
namespace std {
using ::fma, ::ldexp, ::frexp, ::modf, ::scalbn, ::lrint, ::lround, ::llrint, ::llround, ::isnan, ::isinf,
    ::isfinite, ::signbit, ::fpclassify, ::isnormal, ::ilogb;
}
