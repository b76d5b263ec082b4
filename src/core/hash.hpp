// SPDX-License-Identifier: BSD-3-Clause
// Hashes: of cache keys and cache entries, BLAKE2b with 256 bits; of rows, whose sums do not depend
// on which rank has which row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace op2::core {

using Digest = std::array<std::uint8_t, 32>;

/// Hashes a stream. Use one object per digest.
class Hasher {
 public:
  Hasher();
  Hasher& bytes(std::span<const std::byte> data);
  /// Hashes the length (64 bits, little endian) and then the text, so that ("ab", "c") and
  /// ("a", "bc") differ.
  Hasher& field(std::string_view text);
  Digest finish();

 private:
  alignas(64) std::array<std::byte, 384> state_;  ///< libsodium's crypto_generichash_state
};

/// Lower-case hexadecimal, two digits per byte.
std::string to_hex(std::span<const std::uint8_t> bytes);

/// The digest written as 64 hexadecimal digits of either case; nothing for any other text.
std::optional<Digest> digest_from_hex(std::string_view text);

/// SipHash-2-4 of a row, with its global index as key. Cost: about 10 ns and 0.4 ns a byte.
std::uint64_t hash_of_row(std::span<const std::byte> row, std::int64_t element);

}  // namespace op2::core
