// SPDX-License-Identifier: BSD-3-Clause
// Quotients and multiples that are rounded up.
#pragma once

#include <concepts>

namespace op2::core {

/// How many pieces of `size` hold `count`. Precondition: count >= 0, size > 0.
template <std::integral T>
constexpr T pieces_for(T count, T size) {
  return (count + size - 1) / size;
}

/// The least multiple of `size` that is at least `count`. Precondition: as above.
template <std::integral T>
constexpr T round_up(T count, T size) {
  return pieces_for(count, size) * size;
}

}  // namespace op2::core
