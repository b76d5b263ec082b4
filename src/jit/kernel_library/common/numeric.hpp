// SPDX-License-Identifier: BSD-3-Clause
// <numeric> for kernels.
#pragma once

#include <op2_traits>
namespace std {
template <class In, class T> constexpr T accumulate(In first, In last, T sum) {
  for (; first != last; ++first) sum = sum + *first;
  return sum;
}
template <class In, class T, class Operation>
constexpr T accumulate(In first, In last, T sum, Operation operation) {
  for (; first != last; ++first) sum = operation(sum, *first);
  return sum;
}
template <class In, class T> constexpr T reduce(In first, In last, T sum) {
  return accumulate(first, last, sum);
}
template <class In, class T, class Operation>
constexpr T reduce(In first, In last, T sum, Operation operation) {
  return accumulate(first, last, sum, operation);
}
template <class In, class Second, class T>
constexpr T inner_product(In first, In last, Second second, T sum) {
  for (; first != last; ++first, ++second) sum = sum + *first * *second;
  return sum;
}
template <class In, class Second, class T, class Sum, class Product>
constexpr T inner_product(In first, In last, Second second, T sum, Sum add, Product multiply) {
  for (; first != last; ++first, ++second) sum = add(sum, multiply(*first, *second));
  return sum;
}
template <class In, class Second, class T>
constexpr T transform_reduce(In first, In last, Second second, T sum) {
  return inner_product(first, last, second, sum);
}
template <class Out, class T> constexpr void iota(Out first, Out last, T value) {
  for (; first != last; ++first, ++value) *first = value;
}
template <class In, class Out> constexpr Out partial_sum(In first, In last, Out to) {
  if (first == last) return to;
  auto sum = *first;
  *to = sum;
  for (++first, ++to; first != last; ++first, ++to) {
    sum = sum + *first;
    *to = sum;
  }
  return to;
}
template <class In, class Out> constexpr Out adjacent_difference(In first, In last, Out to) {
  if (first == last) return to;
  auto before = *first;
  *to = before;
  for (++first, ++to; first != last; ++first, ++to) {
    const auto value = *first;
    *to = value - before;
    before = value;
  }
  return to;
}
template <class T, class U> constexpr auto gcd(T m, U n) {
  decltype(m + n) a = m < 0 ? -m : m, b = n < 0 ? -n : n;
  while (b != 0) {
    const auto rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
template <class T, class U> constexpr auto lcm(T m, U n) {
  const auto divisor = gcd(m, n);
  const decltype(m + n) a = m < 0 ? -m : m, b = n < 0 ? -n : n;
  return divisor == 0 ? divisor : a / divisor * b;
}
template <class T> requires(op2_traits::is_real<T>()) constexpr T midpoint(T a, T b) { return a / 2 + b / 2; }
template <class T> requires(op2_traits::is_integer<T>()) constexpr T midpoint(T a, T b) {
  return a < b ? T((a & b) + ((a ^ b) >> 1)) : T((a | b) - ((a ^ b) >> 1));
}
}  // namespace std
