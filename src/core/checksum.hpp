// SPDX-License-Identifier: BSD-3-Clause
// A checksum of bytes in a file, which ranks find together: each of the bytes that it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace op2::core {

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

}  // namespace op2::core
