// SPDX-License-Identifier: BSD-3-Clause
// <math.h> for kernels.
#pragma once

#include <op2_elementary>

extern "C" {
double fma(double, double, double) noexcept;
float fmaf(float, float, float) noexcept;
double ldexp(double, int) noexcept;
float ldexpf(float, int) noexcept;
double frexp(double, int*) noexcept;
float frexpf(float, int*) noexcept;
double modf(double, double*) noexcept;
float modff(float, float*) noexcept;
double scalbn(double, int) noexcept;
int ilogb(double) noexcept;
int ilogbf(float) noexcept;
float scalbnf(float, int) noexcept;
long lrint(double) noexcept;
long lrintf(float) noexcept;
long lround(double) noexcept;
long lroundf(float) noexcept;
long long llrint(double) noexcept;
long long llrintf(float) noexcept;
long long llround(double) noexcept;
long long llroundf(float) noexcept;
}
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
inline float ldexp(float x, int exponent) { return ldexpf(x, exponent); }
inline float frexp(float x, int* exponent) { return frexpf(x, exponent); }
inline float modf(float x, float* whole) { return modff(x, whole); }
inline float scalbn(float x, int exponent) { return scalbnf(x, exponent); }
inline int ilogb(float x) { return ilogbf(x); }
template <class T> constexpr bool isnan(T x) { return __builtin_isnan((double)x); }
template <class T> constexpr bool isinf(T x) { return __builtin_isinf((double)x); }
template <class T> constexpr bool isfinite(T x) { return __builtin_isfinite((double)x); }
template <class T> constexpr bool signbit(T x) { return __builtin_signbit((double)x); }
#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
#define HUGE_VAL __builtin_huge_val()

#include <op2_other_math>

#include <op2_math_macros>
