// SPDX-License-Identifier: BSD-3-Clause
// What types of numbers are. NVRTC 12.0 to 12.2 cannot make a number of bits in a constant
// expression; what calls that is a template, so that it is none there only when it is used.
#pragma once

namespace op2_traits {
#if __has_builtin(__builtin_bit_cast)
constexpr double real_of(unsigned long bits) { return __builtin_bit_cast(double, bits); }
constexpr float real_of(unsigned bits) { return __builtin_bit_cast(float, bits); }
#else
inline double real_of(unsigned long bits) { return __longlong_as_double(static_cast<long long>(bits)); }
inline float real_of(unsigned bits) { return __int_as_float(static_cast<int>(bits)); }
#endif
template <class T> constexpr bool is_integer() { return false; }
template <> constexpr bool is_integer<bool>() { return true; }
template <> constexpr bool is_integer<char>() { return true; }
template <> constexpr bool is_integer<signed char>() { return true; }
template <> constexpr bool is_integer<unsigned char>() { return true; }
template <> constexpr bool is_integer<short>() { return true; }
template <> constexpr bool is_integer<unsigned short>() { return true; }
template <> constexpr bool is_integer<int>() { return true; }
template <> constexpr bool is_integer<unsigned>() { return true; }
template <> constexpr bool is_integer<long>() { return true; }
template <> constexpr bool is_integer<unsigned long>() { return true; }
template <> constexpr bool is_integer<long long>() { return true; }
template <> constexpr bool is_integer<unsigned long long>() { return true; }
template <class T> constexpr bool is_real() { return false; }
template <> constexpr bool is_real<float>() { return true; }
template <> constexpr bool is_real<double>() { return true; }
template <class T>
concept Real = is_real<T>();
template <class T> constexpr bool is_number() { return is_integer<T>() || is_real<T>(); }
template <class T, class U> constexpr bool mixes() {
  return is_number<T>() && is_number<U>() && (is_integer<T>() || is_integer<U>() || sizeof(T) != sizeof(U));
}
// Templates for each size: members of `real<double>` itself would be variables of every code.
template <class T> struct real;
template <class T> requires(sizeof(T) == 8) struct real<T> {
  static constexpr int digits = 53, digits10 = 15, max_digits10 = 17, exponent = 1024, exponent10 = 308;
  static constexpr double greatest = 1.7976931348623157e+308, least = 2.2250738585072014e-308;
  static constexpr double epsilon = 2.2204460492503131e-16;
  static constexpr unsigned long smallest = 1, infinity = 0x7ff0000000000000, nan = 0x7ff8000000000000;
};
template <class T> requires(sizeof(T) == 4) struct real<T> {
  static constexpr int digits = 24, digits10 = 6, max_digits10 = 9, exponent = 128, exponent10 = 38;
  static constexpr float greatest = 3.402823466e+38F, least = 1.175494351e-38F;
  static constexpr float epsilon = 1.192092896e-07F;
  static constexpr unsigned smallest = 1, infinity = 0x7f800000, nan = 0x7fc00000;
};
}  // namespace op2_traits
