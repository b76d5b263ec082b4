// SPDX-License-Identifier: BSD-3-Clause
// The file of OP2_HASH: a line for each value that a program declares or sees. The library writes
// it, `op2-jitinspect diff` compares two.
#pragma once

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
