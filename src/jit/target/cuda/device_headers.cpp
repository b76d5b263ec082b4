// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/device_headers.hpp>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <core/hash.hpp>
#include <jit/common_headers.hpp>
#include <jit/math_names.hpp>
#include <jit/source_scan.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/cuda/library_parts.hpp>

namespace op2::jit {
namespace {

static_assert(block_threads == 256);  // as <op2_device> has it, and its eight warps

constexpr const char* integer_types = R"(#pragma once
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
namespace std {
using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t; using ::int32_t;
using ::uint32_t; using ::int64_t; using ::uint64_t; using ::intptr_t; using ::uintptr_t;
}
)";

constexpr const char* integer_type_limits = R"(
#define INT32_MAX 2147483647
#define INT32_MIN (-INT32_MAX - 1)
#define UINT32_MAX 4294967295U
#define INT64_MAX 9223372036854775807L
#define INT64_MIN (-INT64_MAX - 1)
#define UINT64_MAX 18446744073709551615UL
)";

constexpr const char* sizes = R"(#pragma once
namespace std { using ::size_t; using ::ptrdiff_t; }
)";

constexpr const char* float_limits = R"(
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
)";

constexpr const char* integer_limits = R"(
#define CHAR_BIT 8
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295U
#define LONG_MAX 9223372036854775807L
#define LONG_MIN (-LONG_MAX - 1L)
#define LLONG_MAX 9223372036854775807LL
#define LLONG_MIN (-LLONG_MAX - 1LL)
)";

constexpr const char* strings = R"(#pragma once
inline void* memmove(void* to, const void* from, size_t bytes) {
  char* t = static_cast<char*>(to);
  const char* f = static_cast<const char*>(from);
  if (t < f)
    for (size_t k = 0; k < bytes; ++k) t[k] = f[k];
  else
    for (size_t k = bytes; k > 0; --k) t[k - 1] = f[k - 1];
  return to;
}
inline int memcmp(const void* a, const void* b, size_t bytes) {
  const unsigned char* x = static_cast<const unsigned char*>(a);
  const unsigned char* y = static_cast<const unsigned char*>(b);
  for (size_t k = 0; k < bytes; ++k)
    if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
  return 0;
}
inline size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}
namespace std { using ::memcpy; using ::memmove; using ::memset; using ::memcmp; using ::strlen; }
)";

constexpr const char* output = R"(#pragma once
inline int puts(const char* text) { return printf("%s\n", text); }
namespace std { using ::printf; using ::puts; }
)";

// The program's compiler has expanded `assert` in an OP_KERNEL: glibc's has `__extension__`.
constexpr const char* assertions = R"(#undef assert
#undef __assert_fail
#undef __extension__
#define __extension__
#define __assert_fail(condition, file, line, function) \
  __assertfail(condition, file, line, function, 1)
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
  ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __func__, 1))
#endif
)";

constexpr const char* absolute_values = R"(#pragma once
namespace std { using ::abs; }
)";

// {0} is the function. Integers count as double, as in the standard library.
constexpr const char* unary_form =
    "template <class T> requires(op2_traits::is_integer<T>()) inline double {0}(T x) {{ return "
    "{0}(static_cast<double>(x)); }}\n";

constexpr const char* binary_form =
    "template <class T, class U> requires(op2_traits::mixes<T, U>()) inline double {0}(T x, U y) "
    "{{ return {0}(static_cast<double>(x), static_cast<double>(y)); }}\n";

// The same for a namespace in which others of the name are defined.
constexpr const char* unary_overloads =
    "inline double {0}(double x) {{ return ::{0}(x); }}\n"
    "inline float {0}(float x) {{ return ::{0}(x); }}\n"
    "template <class T> requires(op2_traits::is_integer<T>()) inline double {0}(T x) {{ return "
    "::{0}(static_cast<double>(x)); }}\n";
constexpr const char* binary_overloads =
    "inline double {0}(double x, double y) {{ return ::{0}(x, y); }}\n"
    "inline float {0}(float x, float y) {{ return ::{0}(x, y); }}\n"
    "template <class T, class U> requires(op2_traits::mixes<T, U>()) inline double {0}(T x, U y) "
    "{{ return ::{0}(static_cast<double>(x), static_cast<double>(y)); }}\n";

constexpr const char* other_mathematics = R"(
template <class T, class U, class V> requires(op2_traits::mixes<T, U>() || op2_traits::mixes<U, V>())
inline double fma(T x, U y, V z) {
  return fma(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
}
template <class T> requires(op2_traits::is_integer<T>()) inline double ldexp(T x, int exponent) { return ldexp(static_cast<double>(x), exponent); }
template <class T> requires(op2_traits::is_integer<T>()) inline double frexp(T x, int* exponent) { return frexp(static_cast<double>(x), exponent); }
template <class T> requires(op2_traits::is_integer<T>()) inline int ilogb(T x) { return ilogb(static_cast<double>(x)); }
template <class T> requires(op2_traits::is_integer<T>()) inline double scalbn(T x, int exponent) { return scalbn(static_cast<double>(x), exponent); }
namespace std {
using ::fma; using ::ldexp; using ::frexp; using ::modf; using ::scalbn; using ::lrint; using ::lround;
using ::llrint; using ::llround; using ::isnan; using ::isinf; using ::isfinite; using ::signbit;
}
)";

constexpr const char* special_values = R"(
#define NAN op2_traits::real_of(0x7fc00000U)
#define INFINITY op2_traits::real_of(0x7f800000U)
#define HUGE_VAL op2_traits::real_of(0x7ff0000000000000UL)
)";

std::string mathematics() {
  return functions_of_one_and_two(unary_form, binary_form) + other_mathematics +
         "#include <op2_number_classes>\n";
}

/// A header of declarations, which are read once, and macros.
std::string with_macros(const char* declarations, const std::string& macros) {
  return fmt::format("#include <{}>\n{}", declarations, macros);
}

std::vector<IncludedFile> all_headers() {
  std::vector<IncludedFile> headers = common_headers();
  const std::vector<IncludedFile> own = {
      {"math.h",
       with_macros("op2_math", fmt::format("{}#include <op2_math_macros>\n", special_values))},
      {"stdlib.h", absolute_values},
      {"stdint.h", with_macros("op2_stdint", integer_type_limits)},
      {"stddef.h", sizes},
      {"float.h", float_limits},
      {"limits.h", integer_limits},
      {"string.h", strings},
      {"stdio.h", output},
      {"assert.h", assertions},
      {"initializer_list", "#pragma once\n"},
      {"op2_math", mathematics()},
      {"op2_stdint", integer_types}};
  headers.insert(headers.end(), own.begin(), own.end());
  add_headers(headers, "cuda");
  headers.push_back({extreme_library_name, extreme_library});
  headers.push_back({ordered_library_name, ordered_library});
  return headers;
}

std::string without_macros(const std::vector<IncludedFile>& headers) {
  std::string text;
  for (const IncludedFile& header : headers)
    for (const std::string_view macro : macros_in(header.text))
      text += fmt::format("#undef {}\n", macro);
  return text;
}

}  // namespace

const std::vector<IncludedFile>& device_headers() {
  static const std::vector<IncludedFile> headers = [] {
    std::vector<IncludedFile> all = all_headers();
    all.push_back({undefining_header, without_macros(all)});
    return all;
  }();
  return headers;
}

std::string overloads_of(const std::string& name) {
  const auto is_in = [&](const auto& list) { return std::ranges::find(list, name) != list.end(); };
  if (is_in(unary_functions)) return fmt::format(fmt::runtime(unary_overloads), name);
  if (is_in(binary_functions)) return fmt::format(fmt::runtime(binary_overloads), name);
  return {};
}

std::string features_of_headers() {
  core::Hasher hasher;
  for (const IncludedFile& header : device_headers()) hasher.field(header.name).field(header.text);
  return "headers " + core::to_hex(hasher.finish()).substr(0, 16);
}

}  // namespace op2::jit
