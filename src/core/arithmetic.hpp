// SPDX-License-Identifier: BSD-3-Clause
// Small arithmetic: multiples that are rounded up, equal blocks of threads, a hash of numbers.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace op2::core {

/// How many pieces of `size` hold `count`. Precondition: count >= 0, size > 0.
template <std::integral T>
constexpr T pieces_for(T count, T size) {
  return (count + size - 1) / size;
}

/// The least multiple of `size` that is at least `count`. Precondition: as above.
template <std::integral T>
constexpr T round_up(T count, T size) {
  return pieces_for(count, size) * size;
}

/// The block [begin, end) of 0 .. count - 1 that belongs to a thread; shares differ by at most one.
struct BlockRange {
  BlockRange(std::size_t count, int thread, int threads)
      : begin(count * static_cast<std::size_t>(thread) / static_cast<std::size_t>(threads)),
        end(count * (static_cast<std::size_t>(thread) + 1) / static_cast<std::size_t>(threads)) {}
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

/// The numbers first .. last - 1, to loop over. (clang 14 does not compile std::views::iota with
/// the standard library of g++ 12.)
struct Numbers {
  struct Iterator {
    std::size_t number;
    std::size_t operator*() const { return number; }
    Iterator& operator++() {
      ++number;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };
  std::size_t first, last;
  Iterator begin() const { return {first}; }
  Iterator end() const { return {last}; }
};

/// Pseudo-random bits for each number: the output function of SplitMix64 (Steele, Lea and Flood,
/// OOPSLA 2014). A bijection.
constexpr std::uint64_t splitmix64(std::int64_t number) {
  auto bits = static_cast<std::uint64_t>(number) + 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return bits ^ (bits >> 31);
}

}  // namespace op2::core
