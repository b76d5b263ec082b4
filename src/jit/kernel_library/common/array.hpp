// SPDX-License-Identifier: BSD-3-Clause
// <array> for kernels.
#pragma once

#include <utility>
namespace std {
template <class T, size_t n> struct array {
  typedef T value_type;
  typedef T* iterator;
  typedef const T* const_iterator;
  typedef size_t size_type;
  T values_[n == 0 ? 1 : n];

  constexpr T& operator[](size_t k) noexcept { return values_[k]; }
  constexpr const T& operator[](size_t k) const noexcept { return values_[k]; }
  constexpr T* data() noexcept { return values_; }
  constexpr const T* data() const noexcept { return values_; }
  constexpr T* begin() noexcept { return values_; }
  constexpr const T* begin() const noexcept { return values_; }
  constexpr const T* cbegin() const noexcept { return values_; }
  constexpr T* end() noexcept { return values_ + n; }
  constexpr const T* end() const noexcept { return values_ + n; }
  constexpr const T* cend() const noexcept { return values_ + n; }
  constexpr T& front() noexcept { return values_[0]; }
  constexpr const T& front() const noexcept { return values_[0]; }
  constexpr T& back() noexcept { return values_[n - 1]; }
  constexpr const T& back() const noexcept { return values_[n - 1]; }
  constexpr size_t size() const noexcept { return n; }
  constexpr size_t max_size() const noexcept { return n; }
  constexpr bool empty() const noexcept { return n == 0; }
  constexpr void fill(const T& value) {
    for (size_t k = 0; k < n; ++k) values_[k] = value;
  }
  constexpr void swap(array& other) {
    for (size_t k = 0; k < n; ++k) std::swap(values_[k], other.values_[k]);
  }
};
template <class T, class... U> array(T, U...) -> array<T, 1 + sizeof...(U)>;
template <class T, size_t n> constexpr bool operator==(const array<T, n>& a, const array<T, n>& b) {
  for (size_t k = 0; k < n; ++k)
    if (!(a[k] == b[k])) return false;
  return true;
}
template <class T, size_t n> constexpr bool operator<(const array<T, n>& a, const array<T, n>& b) {
  for (size_t k = 0; k < n; ++k) {
    if (a[k] < b[k]) return true;
    if (b[k] < a[k]) return false;
  }
  return false;
}
template <size_t i, class T, size_t n> constexpr T& get(array<T, n>& a) noexcept { return a[i]; }
template <size_t i, class T, size_t n> constexpr const T& get(const array<T, n>& a) noexcept { return a[i]; }
template <class T, size_t n> struct tuple_size<array<T, n>> {
  static constexpr size_t value = n;
};
template <class T, size_t n> struct tuple_size<const array<T, n>> {
  static constexpr size_t value = n;
};
template <size_t i, class T, size_t n> struct tuple_element<i, array<T, n>> {
  typedef T type;
};
template <size_t i, class T, size_t n> struct tuple_element<i, const array<T, n>> {
  typedef const T type;
};
}  // namespace std
