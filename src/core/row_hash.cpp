// SPDX-License-Identifier: BSD-3-Clause
#include <core/row_hash.hpp>

#include <array>
#include <bit>
#include <cstring>

#include <sodium.h>

namespace op2::core {

std::uint64_t hash_of_row(std::span<const std::byte> row, std::int64_t element) {
  static_assert(std::endian::native == std::endian::little);
  std::array<unsigned char, crypto_shorthash_KEYBYTES> key{};
  std::memcpy(key.data(), &element, sizeof element);
  std::array<unsigned char, crypto_shorthash_BYTES> hash;
  crypto_shorthash(hash.data(), reinterpret_cast<const unsigned char*>(row.data()), row.size(),
                   key.data());
  return std::bit_cast<std::uint64_t>(hash);
}

std::uint64_t checksum_of_rows(std::span<const std::byte> rows, std::size_t row_bytes,
                               std::int64_t first) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at + row_bytes <= rows.size(); at += row_bytes)
    sum += hash_of_row(rows.subspan(at, row_bytes), first++);
  return sum;
}

}  // namespace op2::core
