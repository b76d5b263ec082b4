// SPDX-License-Identifier: BSD-3-Clause
// Hashes of rows: their sums do not depend on which rank has which row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace op2::core {

/// SipHash-2-4 of a row, with its global index as key. Cost: about 10 ns and 0.4 ns a byte.
std::uint64_t hash_of_row(std::span<const std::byte> row, std::int64_t element);

}  // namespace op2::core
