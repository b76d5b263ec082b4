// SPDX-License-Identifier: BSD-3-Clause
// The end of <math.h>. The numbers of the classes are those of the macros FP_NAN and so on.
#pragma once

#include <op2_traits>

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
using ::fpclassify, ::isnormal, ::ilogb;
}
