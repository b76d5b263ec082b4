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

}  // namespace op2::core
