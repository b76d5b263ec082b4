// SPDX-License-Identifier: BSD-3-Clause
// What types of numbers are, <limits>, <numbers> and classes of numbers, for kernels.
#pragma once

namespace op2::jit {

/// <op2_traits>. NVRTC 12.0 to 12.2 cannot make a number of bits in a constant expression; what
/// calls that is a template, so that it is none there only when it is used.
inline constexpr const char* number_traits = R"(#pragma once
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
}
)";

inline constexpr const char* limits = R"(#pragma once
#include <op2_traits>
namespace std {
template <class T> struct numeric_limits { static constexpr bool is_specialized = false; };
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
  static constexpr T max() noexcept {
    return is_signed ? T(((T(1) << (digits - 1)) - 1) * 2 + 1) : T(-1);
  }
  static constexpr T min() noexcept { return is_signed ? T(-max() - 1) : T(0); }
  static constexpr T lowest() noexcept { return min(); }
};
}
)";

inline constexpr const char* numbers = R"(#pragma once
namespace std::numbers {
template <class T> requires(op2_traits::is_real<T>()) inline constexpr T e_v = T(2.718281828459045235360);
template <class T> requires(op2_traits::is_real<T>()) inline constexpr T log2e_v = T(1.442695040888963407360);
template <class T> requires(op2_traits::is_real<T>()) inline constexpr T log10e_v = T(0.434294481903251827651);
template <class T> requires(op2_traits::is_real<T>()) inline constexpr T pi_v = T(3.141592653589793238463);
template <class T> requires(op2_traits::is_real<T>()) inline constexpr T inv_pi_v = T(0.318309886183790671538);
template <class T> requires(op2_traits::is_real<T>()) inline constexpr T inv_sqrtpi_v = T(0.564189583547756286948);
template <class T> requires(op2_traits::is_real<T>()) inline constexpr T ln2_v = T(0.693147180559945309417);
template <class T> requires(op2_traits::is_real<T>()) inline constexpr T ln10_v = T(2.302585092994045684018);
template <class T> requires(op2_traits::is_real<T>()) inline constexpr T sqrt2_v = T(1.414213562373095048802);
template <class T> requires(op2_traits::is_real<T>()) inline constexpr T sqrt3_v = T(1.732050807568877293527);
template <class T> requires(op2_traits::is_real<T>()) inline constexpr T inv_sqrt3_v = T(0.577350269189625764509);
template <class T> requires(op2_traits::is_real<T>()) inline constexpr T egamma_v = T(0.577215664901532860607);
template <class T> requires(op2_traits::is_real<T>()) inline constexpr T phi_v = T(1.618033988749894848205);
inline constexpr double e = e_v<double>, log2e = log2e_v<double>, log10e = log10e_v<double>;
inline constexpr double pi = pi_v<double>, inv_pi = inv_pi_v<double>, inv_sqrtpi = inv_sqrtpi_v<double>;
inline constexpr double ln2 = ln2_v<double>, ln10 = ln10_v<double>, sqrt2 = sqrt2_v<double>;
inline constexpr double sqrt3 = sqrt3_v<double>, inv_sqrt3 = inv_sqrt3_v<double>;
inline constexpr double egamma = egamma_v<double>, phi = phi_v<double>;
}
)";

/// Of <cmath>, after <op2_traits>. The numbers of the classes are those of the macros FP_NAN and so
/// on.
inline constexpr const char* number_classes = R"(
template <class T> requires(op2_traits::is_real<T>()) constexpr int fpclassify(T x) {
  const T size = x < 0 ? -x : x;
  if (!(x == x)) return 0;
  if (size > op2_traits::real<T>::greatest) return 1;
  return size == 0 ? 2 : size < op2_traits::real<T>::least ? 3 : 4;
}
template <class T> requires(op2_traits::is_integer<T>()) constexpr int fpclassify(T x) { return x == 0 ? 2 : 4; }
template <class T> requires(op2_traits::is_number<T>()) constexpr bool isnormal(T x) { return fpclassify(x) == 4; }
namespace std { using ::fpclassify; using ::isnormal; using ::ilogb; }
)";

/// Macros of <math.h>.
inline constexpr const char* mathematical_macros = R"(#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
)";

}  // namespace op2::jit
