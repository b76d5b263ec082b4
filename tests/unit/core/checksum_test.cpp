// SPDX-License-Identifier: BSD-3-Clause
#include <core/checksum.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace op2::core {
namespace {

using Bytes = std::vector<std::byte>;

/// 10 000 bytes: two whole blocks and a part of a third.
Bytes sample() {
  Bytes bytes;
  for (std::size_t k = 0; k < 10'000; ++k) bytes.push_back(std::byte(7 * k + k / 256));
  return bytes;
}

/// The values were calculated from the formula with integers of any length.
TEST(Checksum, IsTheDocumentedSum) {
  const Bytes bytes = sample();
  EXPECT_EQ(checksum(0, bytes), 1411284062713549506U);
  EXPECT_EQ(checksum(4093, std::span(bytes).first(20)), 1174577136144685647U);
  EXPECT_EQ(checksum(0, std::as_bytes(std::span("abc", 3))), 1886989256016854004U);
  EXPECT_EQ(checksum(5, {}), 0U);
}

TEST(Checksum, OfPartsAddsUpHoweverTheyAreCut) {
  const Bytes bytes = sample();
  std::mt19937 random(1);
  for (int k = 0; k < 500; ++k) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t most = std::min<std::size_t>(bytes.size() - at, k % 2 == 0 ? 20 : 5000);
      const std::size_t size = 1 + random() % most;
      sum = add_checksums(
          sum, checksum(static_cast<std::int64_t>(at), std::span(bytes).subspan(at, size)));
      at += size;
    }
    ASSERT_EQ(sum, checksum(0, bytes));
  }
}

TEST(Checksum, ChangesWithEveryBit) {
  Bytes bytes = sample();
  bytes.resize(1000);
  const std::uint64_t right = checksum(3600, bytes);  // in two blocks
  for (std::byte& byte : bytes)
    for (int bit = 0; bit < 8; ++bit) {
      byte ^= std::byte(1 << bit);
      ASSERT_NE(checksum(3600, bytes), right);
      byte ^= std::byte(1 << bit);
    }
}

TEST(Checksum, ChangesIfWordsOrBlocksChangePlaces) {
  Bytes bytes = sample();
  const std::uint64_t right = checksum(0, bytes);
  std::swap_ranges(bytes.begin(), bytes.begin() + 8, bytes.begin() + 8);
  EXPECT_NE(checksum(0, bytes), right);
  bytes = sample();
  std::swap_ranges(bytes.begin(), bytes.begin() + 4096, bytes.begin() + 4096);
  EXPECT_NE(checksum(0, bytes), right);
  EXPECT_NE(checksum(8, sample()), right);
}

TEST(Checksum, OfLargestNumbersDoesNotOverflow) {
  const Bytes ones(8192, std::byte(255));
  std::uint64_t sum = 0;
  for (std::int64_t at = 0; at < std::ssize(ones); at += 8)
    sum =
        add_checksums(sum, checksum(at, std::span(ones).subspan(static_cast<std::size_t>(at), 8)));
  EXPECT_EQ(checksum(0, ones), sum);
  EXPECT_LT(sum, (std::uint64_t{1} << 61) - 1);
}

}  // namespace
}  // namespace op2::core
