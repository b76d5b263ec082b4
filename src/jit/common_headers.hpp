// SPDX-License-Identifier: BSD-3-Clause
// Those stand-ins for headers of the standard library that are the same for all compilers.
#pragma once

namespace op2::jit {

/// <algorithm>
inline constexpr const char* algorithms = R"(#pragma once
#include <initializer_list>
namespace std {
template <class T> constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> constexpr T min(initializer_list<T> list) {
  T least = *list.begin();
  for (const T& each : list) least = min(least, each);
  return least;
}
template <class T> constexpr T max(initializer_list<T> list) {
  T greatest = *list.begin();
  for (const T& each : list) greatest = max(greatest, each);
  return greatest;
}
template <class T> constexpr const T& clamp(const T& x, const T& low, const T& high) {
  return x < low ? low : high < x ? high : x;
}
template <class T> constexpr void swap(T& a, T& b) { T old = a; a = b; b = old; }
}
)";

/// Macros of <math.h>.
inline constexpr const char* mathematical_constants = R"(#define M_E 2.7182818284590452354
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
)";

}  // namespace op2::jit
