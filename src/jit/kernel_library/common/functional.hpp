// SPDX-License-Identifier: BSD-3-Clause
// <functional> for kernels.
#pragma once

namespace std {
template <class T = void> struct plus {
  constexpr T operator()(const T& a, const T& b) const { return a + b; }
};
template <> struct plus<void> {
  constexpr auto operator()(const auto& a, const auto& b) const { return a + b; }
};
template <class T = void> struct minus {
  constexpr T operator()(const T& a, const T& b) const { return a - b; }
};
template <> struct minus<void> {
  constexpr auto operator()(const auto& a, const auto& b) const { return a - b; }
};
template <class T = void> struct multiplies {
  constexpr T operator()(const T& a, const T& b) const { return a * b; }
};
template <> struct multiplies<void> {
  constexpr auto operator()(const auto& a, const auto& b) const { return a * b; }
};
template <class T = void> struct less {
  constexpr bool operator()(const T& a, const T& b) const { return a < b; }
};
template <> struct less<void> {
  constexpr bool operator()(const auto& a, const auto& b) const { return a < b; }
};
template <class T = void> struct greater {
  constexpr bool operator()(const T& a, const T& b) const { return a > b; }
};
template <> struct greater<void> {
  constexpr bool operator()(const auto& a, const auto& b) const { return a > b; }
};
}  // namespace std
