// SPDX-License-Identifier: BSD-3-Clause
// What generated kernels call: loads of rows, atomic additions, folds of reductions, and the
// comparison of a kernel's parameters with its loop. CUDA C++20. Included before the sources of
// kernels, so that none of their macros changes it. Blocks have 256 threads: eight warps.
#pragma once

#include <op2_traits>

// Clang's and GCC's names of values that sources made from programs contain.
#if !__has_builtin(__builtin_nan)
template <class op2_none = void> constexpr double __builtin_nan(const char*) {
  return op2_traits::real_of(0x7ff8000000000000UL);
}
template <class op2_none = void> constexpr float __builtin_nanf(const char*) {
  return op2_traits::real_of(0x7fc00000U);
}
template <class op2_none = void> constexpr double __builtin_huge_val() {
  return op2_traits::real_of(0x7ff0000000000000UL);
}
template <class op2_none = void> constexpr float __builtin_huge_valf() {
  return op2_traits::real_of(0x7f800000U);
}
constexpr decltype(nullptr) __null = nullptr;
#endif

// Becomes whichever pointer the kernel takes: to `long` or `long long`, to const, or to pointers.
struct op2_pointer {
  void* op2_address;
  template <class op2_value> __device__ operator op2_value*() const {
    return static_cast<op2_value*>(op2_address);
  }
};

namespace op2_device {

// The alignment of rows: the largest power of 2 that divides their bytes, up to 16.
template <class T, int dim> constexpr int alignment() {
  const int bytes = dim * static_cast<int>(sizeof(T)), power = bytes & -bytes;
  return power < 16 ? power : 16;
}

// A row in registers.
template <class T, int dim> struct alignas(alignment<T, dim>()) Row {
  T values[dim];
};

// A part of a row that one instruction reads or writes.
template <class T, int dim> struct alignas(alignment<T, dim>()) Piece {
  T values[alignment<T, dim>() / sizeof(T)];
};
template <class T, int dim> __device__ __forceinline__ void copy_pieces(T* to, const T* from) {
  constexpr int pieces = sizeof(Row<T, dim>) / sizeof(Piece<T, dim>);
#pragma unroll
  for (int k = 0; k < pieces; ++k)
    reinterpret_cast<Piece<T, dim>*>(to)[k] = reinterpret_cast<const Piece<T, dim>*>(from)[k];
}
template <class T, int dim>
__device__ __forceinline__ void load(Row<T, dim>& to, const T* __restrict__ from) {
  copy_pieces<T, dim>(to.values, from);
}
template <class T, int dim> __device__ __forceinline__ void store(T* to, const Row<T, dim>& from) {
  copy_pieces<T, dim>(to, from.values);
}

__device__ __forceinline__ void add(double* to, double value) { atomicAdd(to, value); }
__device__ __forceinline__ void add(float* to, float value) { atomicAdd(to, value); }
__device__ __forceinline__ void add(int* to, int value) { atomicAdd(to, value); }
__device__ __forceinline__ void add(unsigned* to, unsigned value) { atomicAdd(to, value); }
__device__ __forceinline__ void add(unsigned long* to, unsigned long value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
}
__device__ __forceinline__ void add(long* to, long value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
}
// The sum of truth values is their disjunction: sets a byte of a word.
__device__ __forceinline__ void add(bool* to, bool value) {
  if (!value) return;
  const unsigned long long address = reinterpret_cast<unsigned long long>(to);
  atomicOr(reinterpret_cast<unsigned*>(address & ~3ULL), 1U << 8 * (address & 3));
}

// Memory of a warp through which it adds rows.
template <class T, int dim> struct Staging {
  enum { most = 64 / sizeof(T), piece = dim < most ? dim : most };
  int rows[32];
  T values[32][piece | 1];  // an odd number of columns: lanes use different banks
};

// Adds a row of each lane to the dat: neighbouring lanes add neighbouring values, so that few
// sectors of memory are changed by each instruction. All lanes of a warp call it.
// row: to which; negative: the lane has none
template <class T, int dim> __device__ __forceinline__ void add_rows(T* dat, int row,
                                                                     const Row<T, dim>& added,
                                                                     Staging<T, dim>& staging) {
  constexpr int piece = Staging<T, dim>::piece;
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int first = 0; first < dim; first += piece) {
    const int count = dim - first < piece ? dim - first : piece;
    __syncwarp();
    staging.rows[lane] = row;
#pragma unroll
    for (int k = 0; k < count; ++k) staging.values[lane][k] = added.values[first + k];
    __syncwarp();
#pragma unroll
    for (int k = 0; k < count; ++k) {
      const int at = 32 * k + lane, target = staging.rows[at / count];
      if (target >= 0)
        add(dat + static_cast<long long>(dim) * target + first + at % count,
            staging.values[at / count][at % count]);
    }
  }
}

// Start: of a thread's part, from the value before the loop; of sums not even read: it may be in the making.
struct Sum {
  template <class T> __device__ static T start(const T&) { return T(); }
  template <class T> __device__ static T join(T a, T b) { return static_cast<T>(a + b); }
  __device__ static bool join(bool a, bool b) { return a || b; }
};
__device__ __forceinline__ unsigned long long bits_of(double value) {
  return static_cast<unsigned long long>(__double_as_longlong(value));
}
__device__ __forceinline__ unsigned bits_of(float value) {
  return static_cast<unsigned>(__float_as_int(value));
}
// Whether a zero is -0; integers have none.
template <class T> __device__ __forceinline__ bool is_negative(T value) {
  if constexpr (static_cast<T>(1) / 2 == 0)
    return false;
  else
    return bits_of(value) >> (8 * sizeof(T) - 1) != 0;
}

// What is not a number loses to every number; -0 is less than 0.
struct Least {
  template <class T> __device__ static T start(T value) { return value; }
  template <class T> __device__ static T join(T a, T b) {
    return b < a || a != a || (b == a && is_negative(b)) ? b : a;
  }
  template <class T> __device__ static bool beats(T a, T b) { return a < b; }
};
struct Greatest {
  template <class T> __device__ static T start(T value) { return value; }
  template <class T> __device__ static T join(T a, T b) {
    return a < b || a != a || (b == a && !is_negative(b)) ? b : a;
  }
  template <class T> __device__ static bool beats(T a, T b) { return b < a; }
};

// The row that a kernel adds to: the thread's sum, or zeros.
template <class T, int dim>
__device__ __forceinline__ Row<T, dim> begin_sum(const Row<T, dim>& sum, bool is_sum) {
  Row<T, dim> row;
#pragma unroll
  for (int k = 0; k < dim; ++k) row.values[k] = is_sum ? sum.values[k] : T();
  return row;
}

// The sum after the kernel has added to the row.
// is_sum: the row has begun with the sum; is_part: it belongs to the sum nevertheless
template <class T, int dim>
__device__ __forceinline__ void end_sum(Row<T, dim>& sum, const Row<T, dim>& row, bool is_sum, bool is_part) {
#pragma unroll
  for (int k = 0; k < dim; ++k) {
    const T joined = is_part ? Sum::join(sum.values[k], row.values[k]) : sum.values[k];
    sum.values[k] = is_sum ? row.values[k] : joined;
  }
}

template <class T> __device__ __forceinline__ T of_lane_above(T value, int distance) {
  return __shfl_down_sync(0xffffffffU, value, distance);
}
__device__ __forceinline__ bool of_lane_above(bool value, int distance) {
  return __shfl_down_sync(0xffffffffU, static_cast<int>(value), distance) != 0;
}

// Thread 0 gets the values of all threads of the block, joined in a fixed tree.
template <class Operation, class T> __device__ T fold_block(T value, T (&warps)[8]) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = Operation::join(value, of_lane_above(value, distance));
  __syncthreads();  // the memory may still be read for the value before
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int k = 1; k < 8; ++k) value = Operation::join(value, warps[k]);
  return value;
}

// A thread's part of a reduction, before its first element.
template <class Operation, int dim, class T>
__device__ __forceinline__ void start(T (&local)[dim], const T* result) {
#pragma unroll
  for (int k = 0; k < dim; ++k) local[k] = Operation::start(result[k]);
}

template <int dim, class T> __device__ __forceinline__ void copy(T (&to)[dim], const T (&from)[dim]) {
#pragma unroll
  for (int k = 0; k < dim; ++k) to[k] = from[k];
}

template <class Operation, int dim, class T>
__device__ void store_partial(const T (&local)[dim], T* partials, T (&warps)[8]) {
  for (int k = 0; k < dim; ++k) {
    const T value = fold_block<Operation>(local[k], warps);
    if (threadIdx.x == 0) partials[static_cast<long long>(dim) * blockIdx.x + k] = value;
  }
}

// By one block.
template <class Operation, int dim, class T>
__device__ void fold_chunks(long long chunks, T* result, const T* partials, T (&warps)[8]) {
  for (int k = 0; k < dim; ++k) {
    T value = Operation::start(result[k]);
#pragma unroll 8
    for (long long chunk = threadIdx.x; chunk < chunks; chunk += 256)
      value = Operation::join(value, partials[chunk * dim + k]);
    value = fold_block<Operation>(value, warps);
    if (threadIdx.x == 0) result[k] = Operation::join(result[k], value);
  }
}

// The values of a payload, and the global index of the element that they are from; -1: of none.
template <class T, int dim> struct Candidate {
  T values[dim];
  alignas(8) long long index;
};
template <class T, int dim>
__device__ __forceinline__ void take(Candidate<T, dim>& to, const T (&values)[dim], long long index) {
  copy<dim>(to.values, values);
  to.index = index;
}

// Of equal values that of the lowest index is better.
template <class Operation, class T>
__device__ __forceinline__ bool is_better(T value, long long index, T best, long long best_index) {
  return Operation::beats(value, best) ||
         (value == best && !Operation::beats(best, value) && index < best_index);
}

// True in the thread with the best value of its block, which all threads call.
template <class Operation, class T>
__device__ bool is_best_of_block(T value, long long index, T (&warps)[8], long long (&indices)[8]) {
  constexpr long long none = 0x7fffffffffffffffLL;
  const T best = fold_block<Operation>(value, warps);
  if (threadIdx.x == 0) warps[0] = best;
  __syncthreads();
  const long long key =
      value == warps[0] && !Operation::beats(warps[0], value) ? 256 * index + threadIdx.x : none;
  const long long lowest = fold_block<Least>(key, indices);
  if (threadIdx.x == 0) indices[0] = lowest;
  __syncthreads();
  return indices[0] == none ? threadIdx.x == 0 : key == indices[0];
}

// By one block: the chunk with the best value, in the thread that has found it; -1 in all others,
// and if no chunk has a better value than the result.
template <class Operation, class T, class P, int dim>
__device__ long long best_chunk(long long chunks, const T* result, const T* partials,
                                const Candidate<P, dim>* payload, const Candidate<P, dim>* payloads,
                                T (&warps)[8], long long (&indices)[8]) {
  T value = *result;
  long long index = payload->index, from = -1;
  for (long long chunk = threadIdx.x; chunk < chunks; chunk += 256)
    if (is_better<Operation>(partials[chunk], payloads[chunk].index, value, index)) {
      value = partials[chunk];
      index = payloads[chunk].index;
      from = chunk;
    }
  const bool is_best = is_best_of_block<Operation>(value, index, warps, indices);
  return is_best ? from : -1;
}

}  // namespace op2_device

// Compares the parameters of a kernel with the arguments of a loop.
namespace op2_signature {

// A letter for each type of values.
template <class T> constexpr char letter_of() { return '?'; }
template <> constexpr char letter_of<double>() { return 'd'; }
template <> constexpr char letter_of<float>() { return 'f'; }
template <> constexpr char letter_of<int>() { return 'i'; }
template <> constexpr char letter_of<unsigned>() { return 'u'; }
template <> constexpr char letter_of<long>() { return 'l'; }
template <> constexpr char letter_of<long long>() { return 'l'; }
template <> constexpr char letter_of<unsigned long>() { return 'm'; }
template <> constexpr char letter_of<unsigned long long>() { return 'm'; }
template <> constexpr char letter_of<bool>() { return 'b'; }

template <class T> struct Pointee {
  enum { type = letter_of<T>(), is_const = 0 };
};
template <class T> struct Pointee<const T> {
  enum { type = letter_of<T>(), is_const = 1 };
};

template <class T> struct Parameter {
  enum { type = '?', is_const = 0, is_vector = 0 };
};
template <class T> struct Parameter<T*> : Pointee<T> {
  enum { is_vector = 0 };
};
template <class T> struct Parameter<T**> : Pointee<T> {
  enum { is_vector = 1 };
};
template <class T> struct Parameter<T* const*> : Pointee<T> {
  enum { is_vector = 1 };
};
template <class T> struct Parameter<T* const> : Parameter<T*> {};

struct None {};
template <int n, class... P> struct Nth {
  using type = None;
};
template <class First, class... Rest> struct Nth<0, First, Rest...> {
  using type = First;
};
template <int n, class First, class... Rest> requires(n > 0)
struct Nth<n, First, Rest...> : Nth<n - 1, Rest...> {};

template <class T> constexpr bool is_void() { return false; }
template <> constexpr bool is_void<void>() { return true; }

template <class F> struct Of;
template <class R, class... P> struct Of<R(P...)> {
  enum { returns_void = is_void<R>(), count = sizeof...(P) };
  template <int n> using At = Parameter<typename Nth<n, P...>::type>;
};
template <class R, class... P> struct Of<R(P...) noexcept> : Of<R(P...)> {};
template <class R, class... P> struct Of<R(P..., ...)> : Of<R(P...)> {
  enum { count = -1 };
};
template <class R, class... P> struct Of<R(P..., ...) noexcept> : Of<R(P..., ...)> {};

}  // namespace op2_signature
