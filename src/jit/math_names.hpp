// SPDX-License-Identifier: BSD-3-Clause
// The C functions that kernels may call: what the shim headers declare and the linker resolves.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

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
inline constexpr std::array other_math_functions{"exp10",  "fma",    "frexp",   "ilogb",
                                                 "ldexp",  "llrint", "llround", "lrint",
                                                 "lround", "modf",   "scalbn",  "sincos"};

/// The rest of the C library that kernels or the optimiser may call.
inline constexpr std::array library_functions{"bcmp",   "memcmp",       "memcpy",  "memmove",
                                              "memset", "printf",       "putchar", "puts",
                                              "strlen", "__assert_fail"};

inline bool is_mathematical(std::string_view name) {
  const auto within = [name](const auto& list) {
    return std::any_of(list.begin(), list.end(), [name](std::string_view known) {
      return name == known ||
             (name.size() == known.size() + 1 && name.ends_with('f') && name.starts_with(known));
    });
  };
  return within(unary_functions) || within(binary_functions) || within(other_math_functions);
}

/// Whether a symbol is such a function of several numbers at once: _ZGV, the kind of registers,
/// lanes and parameters, and the function's name.
inline bool is_vector_mathematics(std::string_view name) {
  constexpr std::string_view start = "_ZGV";
  if (!name.starts_with(start)) return false;
  const std::size_t end = name.find('_', start.size());
  return end != std::string_view::npos && is_mathematical(name.substr(end + 1));
}

/// Whether a symbol is one of all these functions.
inline bool may_be_called(std::string_view name) {
  return is_mathematical(name) || std::find(library_functions.begin(), library_functions.end(),
                                            name) != library_functions.end();
}

}  // namespace op2::jit
