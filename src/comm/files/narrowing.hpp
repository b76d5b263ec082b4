// SPDX-License-Identifier: BSD-3-Clause
// Converts numbers of a wide type to a requested type that can hold them. Local.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include <core/value_type.hpp>

namespace op2::comm {

/// Whether `To` can hold a value: integers exactly, floating-point values up to rounding, and bool
/// only 0 and 1.
template <class To, class Wide>
bool can_hold(Wide value) {
  if constexpr (std::is_same_v<To, bool>)
    return value == Wide(0) || value == Wide(1);
  else if constexpr (std::is_floating_point_v<To>)
    return std::is_integral_v<Wide> || !std::isfinite(static_cast<double>(value)) ||
           std::abs(static_cast<double>(value)) <=
               static_cast<double>(std::numeric_limits<To>::max());
  else if constexpr (std::is_integral_v<Wide>)
    return std::in_range<To>(value);
  else
    return false;  // a floating-point value of the file is never read as an integer
}

/// Copies values to `out`, an array of `type`, up to the first one that it cannot hold.
/// @param Wide  std::int64_t, std::uint64_t or double
/// @return the number of values copied
template <class Wide>
std::size_t narrow(std::span<const Wide> values, Type type, void* out) {
  return core::with_type(type, [&]<class To>() {
    std::size_t k = 0;
    for (auto* to = static_cast<To*>(out); k < values.size() && can_hold<To>(values[k]); ++k)
      to[k] = static_cast<To>(values[k]);
    return k;
  });
}

}  // namespace op2::comm
