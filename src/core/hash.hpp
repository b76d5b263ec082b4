// SPDX-License-Identifier: BSD-3-Clause
// Hashes: of cache keys and cache entries, BLAKE2b with 256 bits; of rows, whose sums do not depend
// on which rank has which row. And a checksum of the bytes in a file, which ranks find together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <op2/types.hpp>

namespace op2::core {

struct Set;

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

/// The sum of w[i] a[i mod 512] b[i div 512] modulo 2^61 - 1, where w[i] is the i-th 64-bit word,
/// little-endian, of all bytes, and a and b are pseudo-random. It is linear: those of disjoint
/// parts, wherever they begin and end, add up to that of all. Any change of bytes within one word
/// is noticed (unless the word changes by a multiple of 2^61 - 1), other changes but for one in
/// about 10^18. No defence against intent. Cost: about 0.08 ns a byte.
/// @param position  of the first byte; what is not given counts as zeros
/// @return          less than 2^61 - 1
std::uint64_t checksum(std::int64_t position, std::span<const std::byte> bytes);

/// The checksum of two disjoint parts from those of each.
std::uint64_t add_checksums(std::uint64_t one, std::uint64_t other);

/// The checksum of many parts from the sums of the upper and the lower 32 bits of each: integers
/// that can be added over 2^31 ranks.
std::uint64_t checksum_of_halves(std::int64_t upper, std::int64_t lower);

// The file of OP2_HASH: a line for each value that a program declares or sees. The library writes
// it, `op2-jitinspect diff` compares two.

/// The sum, modulo 2^64, of a hash (SipHash-2-4) of each row and its global index: each rank hashes
/// the rows that it owns, and the sum over the ranks does not depend on who owns what, nor on the
/// order of rows. All NaN count as the same. Local; cost about 20 ns a row.
/// @param rows  of the set; shape [owned x row_bytes]
/// @param type  of the values in a row
std::uint64_t hash_of_rows(const Set& set, std::span<const std::byte> rows, std::size_t row_bytes,
                           Type type);

/// The same of values that belong to no set, as of one row.
std::uint64_t hash_of_values(std::span<const std::byte> values, Type type);

/// What a line says.
struct ValueHash {
  std::string hash;  ///< 16 hexadecimal digits; '-' of what has no values
  std::string what;  ///< "fetch of dat 'q'"; equal in all runs of a program
  bool operator==(const ValueHash&) const = default;
};

/// Of what the program declares: such a line begins with it.
inline constexpr std::string_view declaration = "declared: ";

/// The first line of a file, with its end.
std::string first_line_of_hashes();
/// @param hash  none: of something without values
std::string line_of(std::optional<std::uint64_t> hash, std::string_view what);

/// The lines of a file; nothing if it is not one of these files.
std::optional<std::vector<ValueHash>> hashes_in(std::string_view text);

}  // namespace op2::core
