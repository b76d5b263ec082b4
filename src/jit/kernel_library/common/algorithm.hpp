// SPDX-License-Identifier: BSD-3-Clause
// <algorithm> for kernels. Ranges are short: nothing is clever, all of it is inlined.
#pragma once

#include <initializer_list>
#include <utility>
namespace std {
template <class T> constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T, class Less> constexpr const T& min(const T& a, const T& b, Less less) {
  return less(b, a) ? b : a;
}
template <class T, class Less> constexpr const T& max(const T& a, const T& b, Less less) {
  return less(a, b) ? b : a;
}
template <class T> constexpr T min(initializer_list<T> list) {
  T least = *list.begin();
  for (const T& each : list) least = min(least, each);
  return least;
}
template <class T> constexpr T max(initializer_list<T> list) {
  T greatest = *list.begin();
  for (const T& each : list) greatest = max(greatest, each);
  return greatest;
}
template <class T> constexpr pair<const T&, const T&> minmax(const T& a, const T& b) {
  return b < a ? pair<const T&, const T&>(b, a) : pair<const T&, const T&>(a, b);
}
template <class T> constexpr pair<T, T> minmax(initializer_list<T> list) {
  return pair<T, T>(min(list), max(list));
}
template <class T> constexpr const T& clamp(const T& x, const T& low, const T& high) {
  return x < low ? low : high < x ? high : x;
}

template <class In, class Out> constexpr Out copy(In first, In last, Out to) {
  for (; first != last; ++first, ++to) *to = *first;
  return to;
}
template <class In, class Size, class Out> constexpr Out copy_n(In first, Size n, Out to) {
  for (Size k = 0; k < n; ++k, ++first, ++to) *to = *first;
  return to;
}
template <class Out, class T> constexpr void fill(Out first, Out last, const T& value) {
  for (; first != last; ++first) *first = value;
}
template <class Out, class Size, class T> constexpr Out fill_n(Out first, Size n, const T& value) {
  for (Size k = 0; k < n; ++k, ++first) *first = value;
  return first;
}
template <class In, class Out, class Function>
constexpr Out transform(In first, In last, Out to, Function function) {
  for (; first != last; ++first, ++to) *to = function(*first);
  return to;
}
template <class In, class Second, class Out, class Function>
constexpr Out transform(In first, In last, Second second, Out to, Function function) {
  for (; first != last; ++first, ++second, ++to) *to = function(*first, *second);
  return to;
}
template <class In, class Function> constexpr Function for_each(In first, In last, Function function) {
  for (; first != last; ++first) function(*first);
  return function;
}

template <class In, class T> constexpr In find(In first, In last, const T& value) {
  while (first != last && !(*first == value)) ++first;
  return first;
}
template <class In, class Test> constexpr In find_if(In first, In last, Test test) {
  while (first != last && !test(*first)) ++first;
  return first;
}
template <class In, class T> constexpr ptrdiff_t count(In first, In last, const T& value) {
  ptrdiff_t n = 0;
  for (; first != last; ++first) n += *first == value ? 1 : 0;
  return n;
}
template <class In, class Test> constexpr ptrdiff_t count_if(In first, In last, Test test) {
  ptrdiff_t n = 0;
  for (; first != last; ++first) n += test(*first) ? 1 : 0;
  return n;
}
template <class In, class Test> constexpr bool all_of(In first, In last, Test test) {
  for (; first != last; ++first)
    if (!test(*first)) return false;
  return true;
}
template <class In, class Test> constexpr bool any_of(In first, In last, Test test) {
  return find_if(first, last, test) != last;
}
template <class In, class Test> constexpr bool none_of(In first, In last, Test test) {
  return !any_of(first, last, test);
}
template <class In, class Second> constexpr bool equal(In first, In last, Second second) {
  for (; first != last; ++first, ++second)
    if (!(*first == *second)) return false;
  return true;
}

template <class In> constexpr In min_element(In first, In last) {
  In least = first;
  for (; first != last; ++first)
    if (*first < *least) least = first;
  return least;
}
template <class In> constexpr In max_element(In first, In last) {
  In greatest = first;
  for (; first != last; ++first)
    if (*greatest < *first) greatest = first;
  return greatest;
}
/// The last of several greatest ones, as the standard says.
template <class In> constexpr pair<In, In> minmax_element(In first, In last) {
  pair<In, In> both(first, first);
  for (; first != last; ++first) {
    if (*first < *both.first) both.first = first;
    if (!(*first < *both.second)) both.second = first;
  }
  return both;
}

template <class A, class B> constexpr void iter_swap(A a, B b) { swap(*a, *b); }
template <class In> constexpr void reverse(In first, In last) {
  while (first != last && first != --last) iter_swap(first++, last);
}
/// For short ranges. Few values are exchanged with their neighbours in an order that does not depend
/// on them, as vectorised code must do; others are inserted one after the other.
template <class In, class Less> constexpr void sort(In first, In last, Less less) {
  if (last - first <= 16) {
    for (; last != first; --last)
      for (In k = first; k + 1 != last; ++k) {
        const auto a = *k, b = *(k + 1);
        const bool exchange = less(b, a);
        *k = exchange ? b : a;
        *(k + 1) = exchange ? a : b;
      }
    return;
  }
  for (In next = first + 1; next != last; ++next) {
    auto value = *next;
    In to = next;
    for (; to != first && less(value, *(to - 1)); --to) *to = *(to - 1);
    *to = value;
  }
}
template <class In> constexpr void sort(In first, In last) {
  sort(first, last, [](const auto& a, const auto& b) { return a < b; });
}
template <class In> constexpr bool is_sorted(In first, In last) {
  if (first == last) return true;
  for (In next = first + 1; next != last; ++next, ++first)
    if (*next < *first) return false;
  return true;
}
}  // namespace std
