// SPDX-License-Identifier: BSD-3-Clause
// Sums in order (jit/target/cuda/kernel_parameters.hpp). The integers of a sum are those of
// core::ExactSum: limbs of 40 bits, then flags.
#pragma once

namespace op2_device {

// What adds nothing, also to -0.
template <class T, int dim> __device__ __forceinline__ void start_part(Row<T, dim>& part) {
#pragma unroll
  for (int k = 0; k < dim; ++k) part.values[k] = static_cast<T>(-T());
}

// Adds the parts of each row, one after the other. A thread has one value of a row.
// values: rows x dim; start: where the parts of a row begin in of_row, shape [rows + 1]
template <int dim, class T>
__device__ __forceinline__ void gather_parts(long long values, T* dat, const T* parts, const int* rows,
                                             const int* start, const int* of_row) {
  const long long at = 256LL * blockIdx.x + threadIdx.x;
  if (at >= values) return;
  const long long position = at / dim, k = at % dim;
  T* const value = dat + dim * static_cast<long long>(rows[position]) + k;
  T sum = *value;
  for (int n = start[position]; n < start[position + 1]; ++n)
    sum = Sum::join(sum, parts[dim * static_cast<long long>(of_row[n]) + k]);
  *value = sum;
}

template <int dim, class T> __device__ __forceinline__ void fill(T (&values)[dim], T value) {
#pragma unroll
  for (int k = 0; k < dim; ++k) values[k] = value;
}

template <class Operation, int dim, class T>
__device__ __forceinline__ void compare(T (&local)[dim], const T (&own)[dim]) {
#pragma unroll
  for (int k = 0; k < dim; ++k) local[k] = Operation::join(local[k], own[k]);
}

// What is not a number wins, and is always the same; -0 is less than 0.
template <class T> constexpr T not_a_number() {
  if constexpr (static_cast<T>(1) / 2 == 0)
    return T();
  else
    return static_cast<T>(__builtin_nan(""));
}
template <class T> __device__ __forceinline__ bool is_less(T a, T b) {
  return a < b || (a == b && is_negative(a) && !is_negative(b));
}
struct LeastOrNan : Least {
  template <class T> __device__ static T join(T a, T b) {
    return a != a || b != b ? not_a_number<T>() : Least::join(a, b);
  }
  template <class T> __device__ static bool beats(T a, T b) { return is_less(a, b); }
};
struct GreatestOrNan : Greatest {
  template <class T> __device__ static T join(T a, T b) {
    return a != a || b != b ? not_a_number<T>() : Greatest::join(a, b);
  }
  template <class T> __device__ static bool beats(T a, T b) { return is_less(b, a); }
};

enum { limb_bits = 40, flag_bits = 21 };

// The block's integers of a sum; barriers are the caller's.
template <int dim, int words> __device__ __forceinline__ void start_words(long long (&sums)[dim][words]) {
  for (int k = threadIdx.x; k < dim * words; k += 256) sums[k / words][k % words] = 0;
}

// (-1)^negative * mantissa * 2^shift, in units of the least denormal number; the mantissa covers
// three limbs at most.
__device__ __forceinline__ void add_number(long long* sum, unsigned long long mantissa, int shift,
                                           bool negative) {
  const unsigned long long mask = (1ULL << limb_bits) - 1;
  const int skipped = shift % limb_bits, limb = shift / limb_bits;
  const unsigned long long low = mantissa << skipped & mask;
  const unsigned long long rest = mantissa >> (limb_bits - skipped);
  const unsigned long long portions[3] = {low, rest & mask, rest >> limb_bits};
#pragma unroll
  for (int k = 0; k < 3; ++k)
    if (portions[k] != 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(sum + limb + k),
                negative ? 0 - portions[k] : portions[k]);
}

__device__ __forceinline__ void set_flag(long long& flags, bool is_nan, bool negative) {
  const int flag = is_nan ? 0 : negative ? 2 : 1;
  atomicOr(reinterpret_cast<unsigned long long*>(&flags), 1ULL << flag * flag_bits);
}

// bits: of a number with so many bits of fraction and exponent
template <int fraction_bits, int exponent_bits>
__device__ __forceinline__ void add_term(long long* sum, long long& flags, unsigned long long bits) {
  constexpr int highest = (1 << exponent_bits) - 1;
  const unsigned long long fraction = bits & ((1ULL << fraction_bits) - 1);
  const int exponent = static_cast<int>(bits >> fraction_bits & highest);
  const bool negative = (bits >> (fraction_bits + exponent_bits)) != 0;
  if (exponent == highest)
    set_flag(flags, fraction != 0, negative);
  else if (exponent == 0)
    add_number(sum, fraction, 0, negative);
  else
    add_number(sum, fraction | 1ULL << fraction_bits, exponent - 1, negative);
}

template <int dim, int words, class T>
__device__ __forceinline__ void add_terms(long long (&sums)[dim][words], const T (&own)[dim]) {
  constexpr int fraction_bits = sizeof(T) == 8 ? 52 : 23, exponent_bits = sizeof(T) == 8 ? 11 : 8;
  for (int k = 0; k < dim; ++k)
    add_term<fraction_bits, exponent_bits>(sums[k], sums[k][words - 1], bits_of(own[k]));
}

// Brings all limbs but the highest to [0, 2^limb_bits), so that those of all chunks can be added.
template <int words> __device__ __forceinline__ void carry(long long (&sum)[words]) {
  for (int k = 0; k + 2 < words; ++k) {
    sum[k + 1] += sum[k] >> limb_bits;
    sum[k] &= (1LL << limb_bits) - 1;
  }
}

// After a barrier.
template <int dim, int words>
__device__ void store_words(long long (&sums)[dim][words], long long* partials) {
  for (int k = threadIdx.x; k < dim; k += 256) carry(sums[k]);
  __syncthreads();
  for (int k = threadIdx.x; k < dim * words; k += 256)
    partials[static_cast<long long>(dim * words) * blockIdx.x + k] = sums[k / words][k % words];
}

// By one block: the sums of up to 2^22 chunks.
template <int dim, int words>
__device__ void fold_words(long long chunks, long long* result, const long long* partials) {
  for (int k = threadIdx.x; k < dim * words; k += 256) {
    long long sum = result[k];
    for (long long chunk = 0; chunk < chunks; ++chunk) {
      const long long more = partials[dim * words * chunk + k];
      sum = k % words == words - 1 ? sum | more : sum + more;
    }
    result[k] = sum;
  }
}

}  // namespace op2_device
