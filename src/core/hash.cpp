// SPDX-License-Identifier: BSD-3-Clause
#include <core/hash.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <tuple>
#include <type_traits>

#include <fmt/format.h>
#include <sodium.h>

#include <core/arithmetic.hpp>
#include <core/mesh.hpp>
#include <core/value_type.hpp>

namespace op2::core {

namespace {

using HashState = crypto_generichash_state;
static_assert(sizeof(HashState) <= 384 && alignof(HashState) <= 64);

HashState* as_state(std::array<std::byte, 384>& bytes) {
  return std::launder(reinterpret_cast<HashState*>(bytes.data()));
}

const unsigned char* as_chars(std::span<const std::byte> data) {
  return reinterpret_cast<const unsigned char*>(data.data());
}

}  // namespace

Hasher::Hasher() {
  // Selects the implementation for this CPU, once; without it the hash is the same but slower.
  [[maybe_unused]] static const int chosen = sodium_init();
  HashState* state = ::new (state_.data()) HashState;
  crypto_generichash_init(state, nullptr, 0, std::tuple_size_v<Digest>);
}

Hasher& Hasher::bytes(std::span<const std::byte> data) {
  crypto_generichash_update(as_state(state_), as_chars(data), data.size());
  return *this;
}

Hasher& Hasher::field(std::string_view text) {
  std::array<std::byte, 8> length;
  for (std::size_t i = 0; i < length.size(); ++i) length[i] = std::byte(text.size() >> (8 * i));
  return bytes(length).bytes(std::as_bytes(std::span(text)));
}

Digest Hasher::finish() {
  Digest digest;
  crypto_generichash_final(as_state(state_), digest.data(), digest.size());
  return digest;
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  std::string digits(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(digits.data(), digits.size(), bytes.data(), bytes.size());
  digits.pop_back();
  return digits;
}

std::optional<Digest> digest_from_hex(std::string_view text) {
  Digest digest;
  std::size_t length = 0;
  const bool read = text.size() == 2 * digest.size() &&
                    sodium_hex2bin(digest.data(), digest.size(), text.data(), text.size(), nullptr,
                                   &length, nullptr) == 0;
  return read && length == digest.size() ? std::optional(digest) : std::nullopt;
}

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

namespace {

constexpr std::string_view first_line =
    "# hashes of the values that a program of libop2 declares and sees, form 1";
constexpr std::size_t digits = 16;

/// Replaces each NaN of a row by one of them.
template <class T>
void make_equal(std::span<std::byte> row) {
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t at = 0; at + sizeof(T) <= row.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, row.data() + at, sizeof(T));
      if (!std::isnan(value)) continue;
      value = std::numeric_limits<T>::quiet_NaN();
      std::memcpy(row.data() + at, &value, sizeof(T));
    }
}

/// SipHash-2-4 of a row, with its global index as key. Cost: about 10 ns and 0.4 ns a byte.
/// @param row  is changed
std::uint64_t hash_of_row(std::span<std::byte> row, Type type, std::int64_t element) {
  with_type(type, [&]<class T>() { make_equal<T>(row); });
  static_assert(std::endian::native == std::endian::little);
  std::array<unsigned char, crypto_shorthash_KEYBYTES> key{};
  std::memcpy(key.data(), &element, sizeof element);
  std::array<unsigned char, crypto_shorthash_BYTES> hash;
  crypto_shorthash(hash.data(), as_chars(row), row.size(), key.data());
  return std::bit_cast<std::uint64_t>(hash);
}

}  // namespace

std::uint64_t hash_of_rows(const Set& set, std::span<const std::byte> rows, std::size_t row_bytes,
                           Type type) {
  std::uint64_t sum = 0;
  std::vector<std::byte> row(row_bytes);
  for (std::size_t k = 0; (k + 1) * row_bytes <= rows.size(); ++k) {
    std::memcpy(row.data(), rows.data() + k * row_bytes, row_bytes);
    sum += hash_of_row(row, type, set.global_index(static_cast<std::int32_t>(k)));
  }
  return sum;
}

std::uint64_t hash_of_values(std::span<const std::byte> values, Type type) {
  std::vector<std::byte> row(values.begin(), values.end());
  return hash_of_row(row, type, 0);
}

std::string first_line_of_hashes() {
  return fmt::format("{}\n", first_line);
}

std::string line_of(std::optional<std::uint64_t> hash, std::string_view what) {
  return fmt::format("{}  {}\n", hash ? fmt::format("{:016x}", *hash) : std::string(digits, '-'),
                     what);
}

std::optional<std::vector<ValueHash>> hashes_in(std::string_view text) {
  const std::string expected = first_line_of_hashes();
  if (!text.starts_with(expected)) return {};
  std::vector<ValueHash> values;
  text.remove_prefix(expected.size());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    constexpr std::size_t least = digits + 2;
    if (end == std::string_view::npos || end < least) return {};
    values.push_back(
        {std::string(text.substr(0, digits)), std::string(text.substr(least, end - least))});
    text.remove_prefix(end + 1);
  }
  return values;
}

}  // namespace op2::core
