// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/standard_headers.hpp>

#include <jit/common_headers.hpp>
#include <jit/llvm/simd_header.hpp>

namespace op2::jit {
namespace {

constexpr const char* integer_types = R"(#pragma once
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
namespace std {
using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t; using ::int32_t;
using ::uint32_t; using ::int64_t; using ::uint64_t; using ::intptr_t; using ::uintptr_t;
}
#define INT32_MAX __INT32_MAX__
#define INT32_MIN (-INT32_MAX - 1)
#define UINT32_MAX __UINT32_MAX__
#define INT64_MAX __INT64_MAX__
#define INT64_MIN (-INT64_MAX - 1)
#define UINT64_MAX __UINT64_MAX__
)";

constexpr const char* sizes = R"(#pragma once
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
namespace std { using ::size_t; using ::ptrdiff_t; }
#ifndef NULL
#define NULL __null
#endif
)";

constexpr const char* float_limits = R"(#pragma once
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MAX __DBL_MAX__
#define DBL_MIN __DBL_MIN__
#define DBL_EPSILON __DBL_EPSILON__
)";

constexpr const char* integer_limits = R"(#pragma once
#define CHAR_BIT 8
#define INT_MAX __INT_MAX__
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX (2U * INT_MAX + 1U)
#define LONG_MAX __LONG_MAX__
#define LONG_MIN (-LONG_MAX - 1L)
#define LLONG_MAX __LONG_LONG_MAX__
#define LLONG_MIN (-LLONG_MAX - 1LL)
)";

constexpr const char* lists = R"(#pragma once
#include <stddef.h>
namespace std {
template <class T> class initializer_list {
  const T* begin_ = nullptr;
  size_t size_ = 0;
 public:
  constexpr initializer_list() noexcept = default;
  constexpr size_t size() const noexcept { return size_; }
  constexpr const T* begin() const noexcept { return begin_; }
  constexpr const T* end() const noexcept { return begin_ + size_; }
};
}
)";

constexpr const char* strings = R"(#pragma once
extern "C" {
void* memcpy(void*, const void*, size_t) noexcept;
void* memmove(void*, const void*, size_t) noexcept;
void* memset(void*, int, size_t) noexcept;
int memcmp(const void*, const void*, size_t) noexcept;
size_t strlen(const char*) noexcept;
}
namespace std { using ::memcpy; using ::memmove; using ::memset; using ::memcmp; using ::strlen; }
)";

constexpr const char* output = R"(#pragma once
extern "C" {
int printf(const char*, ...) __attribute__((format(printf, 1, 2)));
int puts(const char*);
}
namespace std { using ::printf; using ::puts; }
)";

constexpr const char* assertions = R"(#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
extern "C" [[noreturn]] void __assert_fail(const char*, const char*, unsigned, const char*) noexcept;
#define assert(condition) \
  ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))
#endif
)";

constexpr const char* absolute_values = R"(#pragma once
extern "C" int abs(int) noexcept;
inline long abs(long x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline double abs(double x) { return __builtin_fabs(x); }
inline float abs(float x) { return __builtin_fabsf(x); }
namespace std { using ::abs; }
)";

// {0} is the function. Integers count as double, as in the standard library.
constexpr const char* unary_form = R"(
extern "C" double {0}(double) noexcept;
extern "C" float {0}f(float) noexcept;
inline float {0}(float x) {{ return {0}f(x); }}
template <class T> requires(__is_integral(T)) inline double {0}(T x) {{ return {0}((double)x); }}
)";

constexpr const char* binary_form = R"(
extern "C" double {0}(double, double) noexcept;
extern "C" float {0}f(float, float) noexcept;
inline float {0}(float x, float y) {{ return {0}f(x, y); }}
template <class T, class U>
  requires(__is_arithmetic(T) && __is_arithmetic(U) && !__is_same(T, U) || __is_integral(T) && __is_integral(U))
inline double {0}(T x, U y) {{ return {0}((double)x, (double)y); }}
)";

constexpr const char* other_mathematics = R"(
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
template <class T> requires(__is_integral(T)) inline int ilogb(T x) { return ilogb((double)x); }
template <class T, class U, class V>
  requires(__is_arithmetic(T) && __is_arithmetic(U) && __is_arithmetic(V))
inline double fma(T x, U y, V z) { return fma((double)x, (double)y, (double)z); }
template <class T> requires(__is_integral(T)) inline double ldexp(T x, int exponent) { return ldexp((double)x, exponent); }
template <class T> requires(__is_integral(T)) inline double frexp(T x, int* exponent) { return frexp((double)x, exponent); }
template <class T> requires(__is_integral(T)) inline double scalbn(T x, int exponent) { return scalbn((double)x, exponent); }
template <class T> constexpr bool isnan(T x) { return __builtin_isnan((double)x); }
template <class T> constexpr bool isinf(T x) { return __builtin_isinf((double)x); }
template <class T> constexpr bool isfinite(T x) { return __builtin_isfinite((double)x); }
template <class T> constexpr bool signbit(T x) { return __builtin_signbit((double)x); }
namespace std {
using ::fma; using ::ldexp; using ::frexp; using ::modf; using ::scalbn; using ::lrint; using ::lround;
using ::llrint; using ::llround; using ::isnan; using ::isinf; using ::isfinite; using ::signbit;
}
#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
#define HUGE_VAL __builtin_huge_val()
)";

std::string mathematics() {
  return functions_of_one_and_two(unary_form, binary_form) + other_mathematics + number_classes +
         mathematical_macros;
}

}  // namespace

std::vector<IncludedFile> shim_headers() {
  std::vector<IncludedFile> headers = common_headers();
  const std::vector<IncludedFile> own = {
      {"math.h", mathematics()},   {"stdlib.h", absolute_values}, {"stdint.h", integer_types},
      {"stddef.h", sizes},         {"float.h", float_limits},     {"limits.h", integer_limits},
      {"string.h", strings},       {"stdio.h", output},           {"assert.h", assertions},
      {"initializer_list", lists}, {"op2_simd", simd_header}};
  headers.insert(headers.end(), own.begin(), own.end());
  return headers;
}

}  // namespace op2::jit
