// SPDX-License-Identifier: BSD-3-Clause
// What a kernel's source may use without including anything, for the compiler of the host: CUDA's words,
// and calls of kernel_calls.cpp. Included before the source; it ends with the kernels' entries
// (compile_kernels.cpp).
#pragma once

#define __CUDA_ARCH__ OP2_EMU_ARCHITECTURE
#define __CUDACC_RTC__
#define __CUDACC__
#define __device__
#define __host__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __constant__ __attribute__((section("op2_constant"), used))
// A block runs in one thread of the host; the word makes a variable of a function static.
#define __shared__ thread_local

using size_t = decltype(sizeof 0);
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));

// Known to NVRTC without a header.
namespace std {
template <class T>
class initializer_list {
  const T* first_ = nullptr;
  size_t size_ = 0;
  constexpr initializer_list(const T* first, size_t size) : first_(first), size_(size) {}

 public:
  constexpr initializer_list() = default;
  constexpr size_t size() const { return size_; }
  constexpr const T* begin() const { return first_; }
  constexpr const T* end() const { return first_ + size_; }
};
}  // namespace std
namespace op2_emu {
template <class T>
struct Value {
  using type = T;
};
template <class T>
struct Value<T&> {
  using type = T;
};
template <class T>
struct Value<T&&> {
  using type = T;
};
}  // namespace op2_emu
namespace std {
template <class T>
constexpr typename op2_emu::Value<T>::type&& move(T&& value) noexcept {
  return static_cast<typename op2_emu::Value<T>::type&&>(value);
}
template <class T>
constexpr T&& forward(typename op2_emu::Value<T>::type& value) noexcept {
  return static_cast<T&&>(value);
}
template <class T>
constexpr T&& forward(typename op2_emu::Value<T>::type&& value) noexcept {
  return static_cast<T&&>(value);
}
}  // namespace std

struct uint3 {
  unsigned x, y, z;
};
extern "C" {
extern const __thread uint3 threadIdx __asm__("op2_emu_thread") __attribute__((tls_model("initial-exec")));
extern const __thread uint3 blockIdx __asm__("op2_emu_block") __attribute__((tls_model("initial-exec")));
extern const __thread uint3 blockDim __asm__("op2_emu_threads") __attribute__((tls_model("initial-exec")));
extern const __thread uint3 gridDim __asm__("op2_emu_blocks") __attribute__((tls_model("initial-exec")));
void op2_emu_barrier(int line);
void op2_emu_warp_barrier(unsigned mask, int line);
void op2_emu_exchange(void* value, size_t bytes, unsigned from_lane, unsigned mask, int line);
unsigned op2_emu_ballot(int vote, unsigned mask, int line);
void op2_emu_update(const void* at, size_t bytes);
void op2_emu_read_range(const void* at, size_t bytes);
void op2_emu_write_range(void* at, size_t bytes);
}
static constexpr int warpSize = 32;

// Barriers and exchanges. The line tells barriers apart that the compiler may have duplicated.
inline void __syncthreads(int line = __builtin_LINE()) { op2_emu_barrier(line); }
inline void __syncwarp(unsigned mask = ~0u, int line = __builtin_LINE()) {
  op2_emu_warp_barrier(mask, line);
}
inline void __threadfence() {}
inline void __threadfence_block() {}
inline unsigned __ballot_sync(unsigned mask, int vote, int line = __builtin_LINE()) {
  return op2_emu_ballot(vote, mask, line);
}
inline int __any_sync(unsigned mask, int vote, int line = __builtin_LINE()) {
  return op2_emu_ballot(vote, mask, line) != 0;
}
inline int __all_sync(unsigned mask, int vote, int line = __builtin_LINE()) {
  return op2_emu_ballot(!vote, mask, line) == 0;
}

namespace op2_emu {

inline unsigned lane() { return threadIdx.x % 32; }
template <class T>
__attribute__((no_sanitize("thread"))) T exchanged(unsigned mask, T value, unsigned from, int line) {
  static_assert(sizeof(T) <= 8);
  op2_emu_exchange(&value, sizeof value, from, mask, line);
  return value;
}
// Lanes outside of the segment of `width` lanes that the caller is in: its own value.
inline unsigned segment(int width) { return lane() / width * width; }
inline unsigned within(unsigned from, int width) {
  return from - segment(width) < static_cast<unsigned>(width) ? from : lane();
}

}  // namespace op2_emu

template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32, int line = __builtin_LINE()) {
  return op2_emu::exchanged(mask, value, op2_emu::segment(width) + from % width, line);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, int line = __builtin_LINE()) {
  return op2_emu::exchanged(mask, value, op2_emu::within(op2_emu::lane() - by, width), line);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32, int line = __builtin_LINE()) {
  return op2_emu::exchanged(mask, value, op2_emu::within(op2_emu::lane() + by, width), line);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int by, int width = 32, int line = __builtin_LINE()) {
  return op2_emu::exchanged(mask, value, op2_emu::within(op2_emu::lane() ^ by, width), line);
}

// Atomic updates, for the types that CUDA has. Threads of the host do not meet here.
#define OP2_EMU_UPDATE(name, T, result)                                          \
  __attribute__((no_sanitize("thread"))) inline T name(T* at, T value) {         \
    op2_emu_update(at, sizeof(T));                                               \
    const T old = *at;                                                           \
    *at = (result);                                                              \
    return old;                                                                  \
  }
#define OP2_EMU_ADDS(T) OP2_EMU_UPDATE(atomicAdd, T, old + value)
#define OP2_EMU_SUBTRACTS(T) OP2_EMU_UPDATE(atomicSub, T, old - value)
#define OP2_EMU_EXCHANGES(T) OP2_EMU_UPDATE(atomicExch, T, value)
#define OP2_EMU_COMPARES(T)                               \
  OP2_EMU_UPDATE(atomicMin, T, value < old ? value : old) \
  OP2_EMU_UPDATE(atomicMax, T, old < value ? value : old)
#define OP2_EMU_BITS(T)                        \
  OP2_EMU_UPDATE(atomicAnd, T, old & value)    \
  OP2_EMU_UPDATE(atomicOr, T, old | value)     \
  OP2_EMU_UPDATE(atomicXor, T, old ^ value)
#define OP2_EMU_SWAPS(T)                                                                  \
  __attribute__((no_sanitize("thread"))) inline T atomicCAS(T* at, T expected, T value) { \
    op2_emu_update(at, sizeof(T));                                                        \
    const T old = *at;                                                                    \
    if (old == expected) *at = value;                                                     \
    return old;                                                                           \
  }
OP2_EMU_ADDS(int) OP2_EMU_ADDS(unsigned) OP2_EMU_ADDS(unsigned long long)
OP2_EMU_ADDS(float) OP2_EMU_ADDS(double)
OP2_EMU_SUBTRACTS(int) OP2_EMU_SUBTRACTS(unsigned)
OP2_EMU_EXCHANGES(int) OP2_EMU_EXCHANGES(unsigned) OP2_EMU_EXCHANGES(unsigned long long)
OP2_EMU_EXCHANGES(float)
OP2_EMU_COMPARES(int) OP2_EMU_COMPARES(unsigned) OP2_EMU_COMPARES(unsigned long long)
OP2_EMU_COMPARES(long long)
OP2_EMU_BITS(int) OP2_EMU_BITS(unsigned) OP2_EMU_BITS(unsigned long long)
OP2_EMU_SWAPS(int) OP2_EMU_SWAPS(unsigned) OP2_EMU_SWAPS(unsigned long long)
OP2_EMU_SWAPS(unsigned short)

// Bits of one type as another.
inline double __longlong_as_double(long long bits) { return __builtin_bit_cast(double, bits); }
inline long long __double_as_longlong(double value) { return __builtin_bit_cast(long long, value); }
inline float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
inline int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
inline float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
inline unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(bits); }
template <class T>
T __ldg(const T* at) { return *at; }

// Copies that the compiler does not see as accesses.
inline void* op2_emu_memcpy(void* to, const void* from, size_t bytes) {
  op2_emu_read_range(from, bytes);
  op2_emu_write_range(to, bytes);
  return __builtin_memcpy(to, from, bytes);
}
inline void* op2_emu_memset(void* to, int value, size_t bytes) {
  op2_emu_write_range(to, bytes);
  return __builtin_memset(to, value, bytes);
}
#define memcpy op2_emu_memcpy
#define memset op2_emu_memset

extern "C" {
int printf(const char* format, ...);
void op2_emu_assertion(const char* condition, unsigned line);
}
inline void __assertfail(const void* condition, const void*, unsigned line, const void*, size_t) {
  op2_emu_assertion(static_cast<const char*>(condition), line);
}

// Mathematics: the names of C, with those of C++ for float.
#define OP2_EMU_UNARY(name)                          \
  extern "C" double name(double) noexcept;           \
  extern "C" float name##f(float) noexcept;          \
  inline float name(float x) { return name##f(x); }
#define OP2_EMU_BINARY(name)                                 \
  extern "C" double name(double, double) noexcept;           \
  extern "C" float name##f(float, float) noexcept;           \
  inline float name(float x, float y) { return name##f(x, y); }
OP2_EMU_UNARY(acos) OP2_EMU_UNARY(acosh) OP2_EMU_UNARY(asin) OP2_EMU_UNARY(asinh)
OP2_EMU_UNARY(atan) OP2_EMU_UNARY(atanh) OP2_EMU_UNARY(cbrt) OP2_EMU_UNARY(ceil)
OP2_EMU_UNARY(cos) OP2_EMU_UNARY(cosh) OP2_EMU_UNARY(erf) OP2_EMU_UNARY(erfc)
OP2_EMU_UNARY(exp) OP2_EMU_UNARY(exp2) OP2_EMU_UNARY(expm1) OP2_EMU_UNARY(fabs)
OP2_EMU_UNARY(floor) OP2_EMU_UNARY(lgamma) OP2_EMU_UNARY(log) OP2_EMU_UNARY(log10)
OP2_EMU_UNARY(log1p) OP2_EMU_UNARY(log2) OP2_EMU_UNARY(logb) OP2_EMU_UNARY(nearbyint)
OP2_EMU_UNARY(rint) OP2_EMU_UNARY(round) OP2_EMU_UNARY(sin) OP2_EMU_UNARY(sinh)
OP2_EMU_UNARY(sqrt) OP2_EMU_UNARY(tan) OP2_EMU_UNARY(tanh) OP2_EMU_UNARY(tgamma)
OP2_EMU_UNARY(trunc)
OP2_EMU_BINARY(atan2) OP2_EMU_BINARY(copysign) OP2_EMU_BINARY(fdim) OP2_EMU_BINARY(fmax)
OP2_EMU_BINARY(fmin) OP2_EMU_BINARY(fmod) OP2_EMU_BINARY(hypot) OP2_EMU_BINARY(nextafter)
OP2_EMU_BINARY(pow) OP2_EMU_BINARY(remainder)
extern "C" {
double fma(double, double, double) noexcept;
float fmaf(float, float, float) noexcept;
double ldexp(double, int) noexcept;
float ldexpf(float, int) noexcept;
double scalbn(double, int) noexcept;
float scalbnf(float, int) noexcept;
double frexp(double, int*) noexcept;
float frexpf(float, int*) noexcept;
double modf(double, double*) noexcept;
float modff(float, float*) noexcept;
int ilogb(double) noexcept;
int ilogbf(float) noexcept;
long lround(double) noexcept;
long lroundf(float) noexcept;
long lrint(double) noexcept;
long lrintf(float) noexcept;
long long llround(double) noexcept;
long long llroundf(float) noexcept;
long long llrint(double) noexcept;
long long llrintf(float) noexcept;
int abs(int) noexcept;
long labs(long) noexcept;
long long llabs(long long) noexcept;
}
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
inline float ldexp(float x, int n) { return ldexpf(x, n); }
inline float scalbn(float x, int n) { return scalbnf(x, n); }
inline float frexp(float x, int* n) { return frexpf(x, n); }
inline float modf(float x, float* whole) { return modff(x, whole); }
inline double pow(double x, int n) { return pow(x, static_cast<double>(n)); }
inline float pow(float x, int n) { return powf(x, static_cast<float>(n)); }
inline long abs(long x) { return labs(x); }
inline long long abs(long long x) { return llabs(x); }
inline double abs(double x) { return fabs(x); }
inline float abs(float x) { return fabsf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
#define OP2_EMU_CLASSES(T)                                    \
  inline bool isnan(T x) { return __builtin_isnan(x); }       \
  inline bool isinf(T x) { return __builtin_isinf(x); }       \
  inline bool isfinite(T x) { return __builtin_isfinite(x); } \
  inline bool signbit(T x) { return __builtin_signbit(x); }
OP2_EMU_CLASSES(double) OP2_EMU_CLASSES(float)
#define OP2_EMU_EXTREMES(T)                           \
  inline T min(T x, T y) { return y < x ? y : x; }    \
  inline T max(T x, T y) { return x < y ? y : x; }
OP2_EMU_EXTREMES(int) OP2_EMU_EXTREMES(unsigned) OP2_EMU_EXTREMES(long)
OP2_EMU_EXTREMES(unsigned long) OP2_EMU_EXTREMES(long long) OP2_EMU_EXTREMES(unsigned long long)
inline double min(double x, double y) { return fmin(x, y); }
inline double max(double x, double y) { return fmax(x, y); }
inline float min(float x, float y) { return fminf(x, y); }
inline float max(float x, float y) { return fmaxf(x, y); }

// Entries of kernels: parameters from the addresses of their values.
namespace op2_emu {

template <int... k>
struct Numbers {};
template <class... A, int... k>
__attribute__((no_sanitize("thread"))) void call(void (*kernel)(A...), void** values, Numbers<k...>) {
  kernel(*static_cast<A*>(values[k])...);
}
template <class... A>
__attribute__((no_sanitize("thread"))) void call(void (*kernel)(A...), void** values) {
  call(kernel, values, Numbers<__integer_pack(sizeof...(A))...>());
}
/// In bytes, then 0.
template <class... A>
const int* sizes(void (*)(A...)) {
  static_assert((0 + ... + ((sizeof(A) + 7) / 8 * 8)) <= 4096,
                "formal parameter space overflowed, 4096 bytes are allowed");
  static const int all[] = {static_cast<int>(sizeof(A))..., 0};
  return all;
}

}  // namespace op2_emu
