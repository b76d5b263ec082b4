// SPDX-License-Identifier: BSD-3-Clause
// <initializer_list> for kernels.
#pragma once

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
}  // namespace std
