// SPDX-License-Identifier: BSD-3-Clause
// The C functions that kernels may call: what the shim headers declare and the linker resolves.
#pragma once

#include <array>

namespace op2::jit {

/// double f(double); each has a float twin with suffix f.
inline constexpr std::array unary_functions{
    "acos",  "acosh", "asin",   "asinh", "atan",   "atanh",    "cbrt", "ceil",  "cos",
    "cosh",  "erf",   "erfc",   "exp",   "exp2",   "expm1",    "fabs", "floor", "log",
    "log10", "log1p", "log2",   "logb",  "rint",   "round",    "sin",  "sinh",  "sqrt",
    "tan",   "tanh",  "tgamma", "trunc", "lgamma", "nearbyint"};

/// double f(double, double); each has a float twin with suffix f.
inline constexpr std::array binary_functions{"atan2", "copysign", "fdim",      "fmax", "fmin",
                                             "fmod",  "hypot",    "nextafter", "pow",  "remainder"};

/// Functions of other forms, with a float twin each. Some are not declared by any header: the
/// optimiser makes calls to them.
inline constexpr std::array other_math_functions{"exp10",  "fma",     "frexp", "ldexp",
                                                 "llrint", "llround", "lrint", "lround",
                                                 "modf",   "scalbn",  "sincos"};

/// The rest of the C library that kernels or the optimiser may call.
inline constexpr std::array library_functions{"bcmp",   "memcmp",       "memcpy",  "memmove",
                                              "memset", "printf",       "putchar", "puts",
                                              "strlen", "__assert_fail"};

}  // namespace op2::jit
