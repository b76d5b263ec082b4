// SPDX-License-Identifier: BSD-3-Clause
// Copies rows of equal size by a list of indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace op2::comm {

/// Calls `copy` with the size of a row, which for usual sizes is a compile-time constant, so that
/// copying a row takes a few instructions.
template <class Copy>
void with_row_size(std::size_t bytes, const Copy& copy) {
  switch (bytes) {
    case 4:
      return copy(std::integral_constant<std::size_t, 4>());
    case 8:
      return copy(std::integral_constant<std::size_t, 8>());
    case 16:
      return copy(std::integral_constant<std::size_t, 16>());
    case 24:
      return copy(std::integral_constant<std::size_t, 24>());
    case 32:
      return copy(std::integral_constant<std::size_t, 32>());
    default:
      return copy(bytes);
  }
}

/// to[k] = from[rows[k]], with rows of `bytes` bytes.
inline void gather_rows(std::byte* to, const std::byte* from, std::span<const std::int32_t> rows,
                        std::size_t bytes) {
  with_row_size(bytes, [=](auto size) {
    for (std::size_t k = 0; k < rows.size(); ++k)
      std::memcpy(to + k * size, from + static_cast<std::size_t>(rows[k]) * size, size);
  });
}

/// to[rows[k] - first] = from[k], with rows of `bytes` bytes.
inline void scatter_rows(std::byte* to, const std::byte* from, std::span<const std::int32_t> rows,
                         std::size_t bytes, std::int32_t first = 0) {
  with_row_size(bytes, [=](auto size) {
    for (std::size_t k = 0; k < rows.size(); ++k)
      std::memcpy(to + static_cast<std::size_t>(rows[k] - first) * size, from + k * size, size);
  });
}

/// to[to_rows[k] - first] = from[from_rows[k]], with rows of `bytes` bytes.
/// @param from_rows  at least as many as to_rows
inline void move_rows(std::byte* to, std::span<const std::int32_t> to_rows, const std::byte* from,
                      std::span<const std::int32_t> from_rows, std::size_t bytes,
                      std::int32_t first) {
  with_row_size(bytes, [=](auto size) {
    for (std::size_t k = 0; k < to_rows.size(); ++k)
      std::memcpy(to + static_cast<std::size_t>(to_rows[k] - first) * size,
                  from + static_cast<std::size_t>(from_rows[k]) * size, size);
  });
}

}  // namespace op2::comm
