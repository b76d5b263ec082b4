// SPDX-License-Identifier: BSD-3-Clause
// <utility> for kernels.
#pragma once

#include <stddef.h>
namespace std {
template <class T> struct remove_reference {
  typedef T type;
};
template <class T> struct remove_reference<T&> {
  typedef T type;
};
template <class T> struct remove_reference<T&&> {
  typedef T type;
};
template <class T> constexpr T&& forward(typename remove_reference<T>::type& x) noexcept {
  return static_cast<T&&>(x);
}
template <class T> constexpr typename remove_reference<T>::type&& move(T&& x) noexcept {
  return static_cast<typename remove_reference<T>::type&&>(x);
}
template <class T> constexpr void swap(T& a, T& b) {
  T old = a;
  a = b;
  b = old;
}
template <class T, size_t n> constexpr void swap(T (&a)[n], T (&b)[n]) {
  for (size_t k = 0; k < n; ++k) swap(a[k], b[k]);
}
template <class T, class U = T> constexpr T exchange(T& x, const U& value) {
  T old = x;
  x = value;
  return old;
}

template <class> struct tuple_size;
template <size_t, class> struct tuple_element;

template <class A, class B> struct pair {
  typedef A first_type;
  typedef B second_type;
  A first;
  B second;
  constexpr pair() : first(), second() {}
  constexpr pair(const A& a, const B& b) : first(a), second(b) {}
  template <class U, class V> constexpr pair(const pair<U, V>& other)
      : first(other.first), second(other.second) {}
};
template <class A, class B> constexpr pair<A, B> make_pair(A a, B b) { return pair<A, B>(a, b); }
template <class A, class B> constexpr bool operator==(const pair<A, B>& x, const pair<A, B>& y) {
  return x.first == y.first && x.second == y.second;
}
template <class A, class B> constexpr bool operator<(const pair<A, B>& x, const pair<A, B>& y) {
  return x.first < y.first || (!(y.first < x.first) && x.second < y.second);
}
template <class A, class B> constexpr bool operator>(const pair<A, B>& x, const pair<A, B>& y) {
  return y < x;
}
template <class A, class B> constexpr bool operator<=(const pair<A, B>& x, const pair<A, B>& y) {
  return !(y < x);
}
template <class A, class B> constexpr bool operator>=(const pair<A, B>& x, const pair<A, B>& y) {
  return !(x < y);
}
template <size_t i, class A, class B> constexpr auto& get(pair<A, B>& x) noexcept {
  if constexpr (i == 0)
    return x.first;
  else
    return x.second;
}
template <size_t i, class A, class B> constexpr const auto& get(const pair<A, B>& x) noexcept {
  if constexpr (i == 0)
    return x.first;
  else
    return x.second;
}

template <class T, size_t n> constexpr T* begin(T (&list)[n]) noexcept { return list; }
template <class T, size_t n> constexpr T* end(T (&list)[n]) noexcept { return list + n; }
template <class T, size_t n> constexpr size_t size(const T (&)[n]) noexcept { return n; }
template <class C> constexpr auto begin(C& list) -> decltype(list.begin()) { return list.begin(); }
template <class C> constexpr auto end(C& list) -> decltype(list.end()) { return list.end(); }
template <class C> constexpr auto size(const C& list) -> decltype(list.size()) { return list.size(); }
}  // namespace std
