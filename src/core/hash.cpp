// SPDX-License-Identifier: BSD-3-Clause
#include <core/hash.hpp>

#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <tuple>

#include <sodium.h>

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

std::uint64_t hash_of_row(std::span<const std::byte> row, std::int64_t element) {
  static_assert(std::endian::native == std::endian::little);
  std::array<unsigned char, crypto_shorthash_KEYBYTES> key{};
  std::memcpy(key.data(), &element, sizeof element);
  std::array<unsigned char, crypto_shorthash_BYTES> hash;
  crypto_shorthash(hash.data(), reinterpret_cast<const unsigned char*>(row.data()), row.size(),
                   key.data());
  return std::bit_cast<std::uint64_t>(hash);
}

}  // namespace op2::core
