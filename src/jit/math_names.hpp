// SPDX-License-Identifier: BSD-3-Clause
// The C functions that kernels may call: what the shim headers declare and the linker resolves. And
// their variants with the same bits on all processors.
#pragma once

#include <algorithm>
#include <array>
#include <string>
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

/// Arithmetic of 128-bit floating-point numbers, for which processors have no instructions: `long
/// double` on AArch64. In the compiler's library.
inline constexpr std::array quadruple_functions{
    "__addtf3",     "__divtf3",      "__eqtf2",       "__extenddftf2", "__extendsftf2",
    "__fixtfdi",    "__fixtfsi",     "__fixunstfdi",  "__fixunstfsi",  "__floatditf",
    "__floatsitf",  "__floatunditf", "__floatunsitf", "__getf2",       "__gttf2",
    "__letf2",      "__lttf2",       "__multf3",      "__netf2",       "__subtf3",
    "__trunctfdf2", "__trunctfsf2",  "__unordtf2"};

inline bool is_of_quadruple_precision(std::string_view name) {
  return std::ranges::find(quadruple_functions, name) != quadruple_functions.end();
}

inline bool is_mathematical(std::string_view name) {
  const auto within = [name](const auto& list) {
    return std::ranges::any_of(list, [name](std::string_view known) {
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
  return is_mathematical(name) ||
         std::ranges::find(library_functions, name) != library_functions.end();
}

// Elementary functions that have the same bits on all processors, for one number and for several at
// once: variants of SLEEF's library, of which there is one for each kind of registers. All others
// are exact or correctly rounded, and need no variant.

struct ConsistentFunction {
  std::string_view name;  ///< of the C library's function for double; that for float ends with f
  int arguments;
  std::string_view error;  ///< part of the variants' names: "u10" means 1.0 units in the last place
};

inline constexpr auto consistent_functions = std::to_array<ConsistentFunction>(
    {{"acos", 1, "u10"},  {"acosh", 1, "u10"},  {"asin", 1, "u10"},  {"asinh", 1, "u10"},
     {"atan", 1, "u10"},  {"atan2", 2, "u10"},  {"atanh", 1, "u10"}, {"cbrt", 1, "u10"},
     {"cos", 1, "u10"},   {"cosh", 1, "u10"},   {"erf", 1, "u10"},   {"erfc", 1, "u15"},
     {"exp", 1, "u10"},   {"exp10", 1, "u10"},  {"exp2", 1, "u10"},  {"expm1", 1, "u10"},
     {"hypot", 2, "u05"}, {"lgamma", 1, "u10"}, {"log", 1, "u10"},   {"log10", 1, "u10"},
     {"log1p", 1, "u10"}, {"log2", 1, "u10"},   {"pow", 2, "u10"},   {"sin", 1, "u10"},
     {"sinh", 1, "u10"},  {"tan", 1, "u10"},    {"tanh", 1, "u10"},  {"tgamma", 1, "u10"}});

inline constexpr std::string_view consistent_prefix = "Sleef_cinz_";

/// The variant for `width` numbers at once.
/// @param type    'd' for double, 'f' for float
/// @param width   0: as many as a register holds, whose length only the processor knows
/// @param family  of processors: "purec" for one number, else the name of their vectors
inline std::string consistent_name(const ConsistentFunction& function, char type, int width,
                                   std::string_view family) {
  std::string name(consistent_prefix);
  name.append(function.name).append(1, type);
  name.append(width == 0 ? "x" : std::to_string(width)).append("_");
  return name.append(function.error).append(family);
}
inline std::string consistent_name(const ConsistentFunction& function, char type) {
  return consistent_name(function, type, 1, "purec");
}

/// The function of which a symbol is a variant, as kernels call it: "expf"; empty if it is none.
inline std::string plain_name(std::string_view symbol) {
  if (!symbol.starts_with(consistent_prefix)) return {};
  symbol.remove_prefix(consistent_prefix.size());
  for (const ConsistentFunction& function : consistent_functions) {
    if (!symbol.starts_with(function.name)) continue;
    const std::string_view rest = symbol.substr(function.name.size());
    const std::size_t width_end = rest.find('_');
    const bool is_variant = (rest.starts_with('d') || rest.starts_with('f')) &&
                            width_end != rest.npos &&
                            rest.substr(width_end + 1).starts_with(function.error);
    if (is_variant) return std::string(function.name) + (rest.starts_with('f') ? "f" : "");
  }
  return {};
}

inline bool is_consistent_mathematics(std::string_view symbol) {
  return !plain_name(symbol).empty();
}

}  // namespace op2::jit
