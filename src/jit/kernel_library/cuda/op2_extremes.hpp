// SPDX-License-Identifier: BSD-3-Clause
// Minima and maxima of rows through maps, which threads join atomically.
// Other threads may join the same row at once, so it is read atomically, too.
#pragma once

namespace op2_device {

__device__ __forceinline__ unsigned long long* bits_at(double* at) {
  return reinterpret_cast<unsigned long long*>(at);
}
__device__ __forceinline__ unsigned* bits_at(float* at) { return reinterpret_cast<unsigned*>(at); }
__device__ __forceinline__ double number_of(unsigned long long bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}
__device__ __forceinline__ float number_of(unsigned bits) { return __int_as_float(static_cast<int>(bits)); }

// What a thread begins with: a value that every other one replaces, or NaN if the row is NaN.
template <int dim, class T> __device__ __forceinline__ void start_row(T (&own)[dim], T* row, T worst) {
#pragma unroll
  for (int k = 0; k < dim; ++k) {
    own[k] = worst;
    if constexpr (static_cast<T>(1) / 2 != 0) {
      const T now = number_of(atomicOr(bits_at(row + k), 0));
      if (now != now) own[k] = now;
    }
  }
}

__device__ __forceinline__ int* integers_at(int* at) { return at; }
__device__ __forceinline__ unsigned* integers_at(unsigned* at) { return at; }
__device__ __forceinline__ long long* integers_at(long* at) { return reinterpret_cast<long long*>(at); }
__device__ __forceinline__ unsigned long long* integers_at(unsigned long* at) {
  return reinterpret_cast<unsigned long long*>(at);
}
template <class T> __device__ __forceinline__ void join_integer(Least, T* to, T own) {
  atomicMin(integers_at(to), own);
}
template <class T> __device__ __forceinline__ void join_integer(Greatest, T* to, T own) {
  atomicMax(integers_at(to), own);
}
__device__ __forceinline__ void join_integer(Least, bool* to, bool own) {
  const unsigned long long address = reinterpret_cast<unsigned long long>(to);
  if (!own) atomicAnd(reinterpret_cast<unsigned*>(address & ~3ULL), ~(1U << 8 * (address & 3)));
}
__device__ __forceinline__ void join_integer(Greatest, bool* to, bool own) { add(to, own); }

template <class Operation, class T> __device__ __forceinline__ void join_number(T* to, T own) {
  auto before = atomicOr(bits_at(to), 0);
  while (true) {
    const auto joined = bits_of(Operation::join(number_of(before), own));
    const auto found = joined == before ? before : atomicCAS(bits_at(to), before, joined);
    if (found == before) return;
    before = found;
  }
}

template <class Operation, int dim, class T>
__device__ __forceinline__ void join_row(T* row, const T (&own)[dim]) {
#pragma unroll
  for (int k = 0; k < dim; ++k)
    if constexpr (static_cast<T>(1) / 2 == 0)
      join_integer(Operation(), row + k, own[k]);
    else
      join_number<Operation>(row + k, own[k]);
}

}  // namespace op2_device
