// SPDX-License-Identifier: BSD-3-Clause
#include <core/hash.hpp>

#include <gtest/gtest.h>

namespace op2::core {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(Hash, IsBlake2bWith256Bits) {
  EXPECT_EQ(to_hex(Hasher().finish()),
            "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_EQ(to_hex(Hasher().bytes(bytes_of("abc")).finish()),
            "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST(Hash, DoesNotDependOnHowAStreamIsCut) {
  EXPECT_EQ(Hasher().bytes(bytes_of("abc")).finish(),
            Hasher().bytes(bytes_of("a")).bytes(bytes_of("bc")).finish());
}

TEST(Hash, TellsFieldsApartThatJoinToTheSameText) {
  EXPECT_NE(Hasher().field("ab").field("c").finish(), Hasher().field("a").field("bc").finish());
  EXPECT_NE(Hasher().field("").field("a").finish(), Hasher().field("a").field("").finish());
}

TEST(Hash, AFieldIsItsLengthAndItsText) {
  using namespace std::string_view_literals;
  EXPECT_EQ(Hasher().field("abc").finish(),
            Hasher().bytes(bytes_of("\3\0\0\0\0\0\0\0abc"sv)).finish());
}

TEST(Hash, HexadecimalDigitsReadBackInEitherCase) {
  const Digest digest = Hasher().field("x").finish();
  std::string digits = to_hex(digest);
  EXPECT_EQ(digest_from_hex(digits), digest);
  for (char& digit : digits) digit = static_cast<char>(std::toupper(digit));
  EXPECT_EQ(digest_from_hex(digits), digest);
}

TEST(Hash, OnlyAWholeDigestReadsBack) {
  const std::string digits(64, 'a');
  EXPECT_FALSE(digest_from_hex(""));
  EXPECT_FALSE(digest_from_hex(digits.substr(1)));
  EXPECT_FALSE(digest_from_hex(digits + "a"));
  EXPECT_FALSE(digest_from_hex(digits.substr(1) + "g"));
  EXPECT_FALSE(digest_from_hex(digits.substr(1) + ":"));
}

}  // namespace
}  // namespace op2::core
