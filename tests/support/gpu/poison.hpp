// SPDX-License-Identifier: BSD-3-Clause
// What stands in memory that nobody has given a value: a NaN as float and as double, and a number
// as int that no test uses. A double that is computed from it keeps half of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace op2::test::gpu {

inline constexpr std::uint32_t poison_word = 0xFFF7A5C5u;

/// Fills memory with the pattern; which byte of it comes where depends on the address alone.
void poison(std::span<std::byte> memory);

/// Whether the aligned word that `byte` is in holds the pattern.
bool in_poisoned_word(const std::byte* byte);

/// The first byte that has lost the pattern; memory.end() if all have it.
const std::byte* first_changed(std::span<const std::byte> memory);

}  // namespace op2::test::gpu
