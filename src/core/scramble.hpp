// SPDX-License-Identifier: BSD-3-Clause
// A hash of numbers, the same in every run.
#pragma once

#include <cstdint>

namespace op2::core {

/// Pseudo-random bits for each number: the output function of SplitMix64 (Steele, Lea and Flood,
/// OOPSLA 2014). A bijection.
constexpr std::uint64_t scramble(std::int64_t number) {
  auto bits = static_cast<std::uint64_t>(number) + 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return bits ^ (bits >> 31);
}

}  // namespace op2::core
