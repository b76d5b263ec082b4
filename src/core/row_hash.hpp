// SPDX-License-Identifier: BSD-3-Clause
// Hashes of rows whose sum does not depend on which rank has which row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace op2::core {

/// SipHash-2-4 of a row, with its global index as key. Cost: about 10 ns and 0.4 ns a byte.
std::uint64_t hash_of_row(std::span<const std::byte> row, std::int64_t element);

/// The sum, modulo 2^64, over consecutive rows: those of several blocks add up to that of all.
/// @param rows   shape [any number x row_bytes]
/// @param first  global index of the first row
std::uint64_t checksum_of_rows(std::span<const std::byte> rows, std::size_t row_bytes,
                               std::int64_t first);

}  // namespace op2::core
