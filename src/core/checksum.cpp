// SPDX-License-Identifier: BSD-3-Clause
#include <core/checksum.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <core/arithmetic.hpp>

namespace op2::core {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
constexpr std::int64_t word_bytes = 8, block_words = 512, block_bytes = block_words * word_bytes;

/// Of the words in a block: below 2^55, so that the sum of 512 products has 128 bits.
constexpr std::array<std::uint64_t, block_words> word_factors = [] {
  std::array<std::uint64_t, block_words> factors{};
  for (std::int64_t k = 0; k < block_words; ++k)
    factors[static_cast<std::size_t>(k)] = (splitmix64(k) >> 9) | 1;
  return factors;
}();

constexpr std::uint64_t block_factor(std::int64_t block) {
  return (splitmix64(~block) >> 4) | 1;
}

constexpr std::uint64_t remainder_of(Wide number) {
  constexpr Wide all = prime;
  number = (number & all) + (number >> 61);  // 2^61 is 1
  number = (number & all) + (number >> 61);
  const auto small = static_cast<std::uint64_t>(number);
  return small >= prime ? small - prime : small;
}

/// A word of which only these bytes are given.
std::uint64_t part_of_word(std::int64_t first, std::span<const std::byte> bytes) {
  std::array<std::byte, word_bytes> word{};
  std::ranges::copy(bytes, word.begin() + first);
  return std::bit_cast<std::uint64_t>(word);
}

/// The sum of words times their factors.
/// @param position  of the first byte in the block
Wide sum_in_block(std::int64_t position, std::span<const std::byte> bytes) {
  static_assert(std::endian::native == std::endian::little);
  const std::uint64_t* factor = &word_factors[static_cast<std::size_t>(position / word_bytes)];
  Wide sum = 0;
  if (const std::int64_t first = position % word_bytes; first != 0) {
    const auto head = bytes.first(std::min<std::size_t>(bytes.size(), word_bytes - first));
    sum += Wide{part_of_word(first, head)} * *factor++;
    bytes = bytes.subspan(head.size());
  }
  for (; bytes.size() >= word_bytes; bytes = bytes.subspan(word_bytes)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    sum += Wide{word} * *factor++;
  }
  if (!bytes.empty()) sum += Wide{part_of_word(0, bytes)} * *factor;
  return sum;
}

}  // namespace

std::uint64_t checksum(std::int64_t position, std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  while (!bytes.empty()) {
    const std::int64_t in_block = position % block_bytes;
    const auto part = bytes.first(std::min<std::size_t>(bytes.size(), block_bytes - in_block));
    const Wide product =
        Wide{remainder_of(sum_in_block(in_block, part))} * block_factor(position / block_bytes);
    sum = add_checksums(sum, remainder_of(product));
    position += std::ssize(part);
    bytes = bytes.subspan(part.size());
  }
  return sum;
}

std::uint64_t add_checksums(std::uint64_t one, std::uint64_t other) {
  return remainder_of(Wide{one} + other);
}

std::uint64_t checksum_of_halves(std::int64_t upper, std::int64_t lower) {
  return remainder_of((static_cast<Wide>(upper) << 32) + static_cast<std::uint64_t>(lower));
}

}  // namespace op2::core
