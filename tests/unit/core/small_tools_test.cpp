// SPDX-License-Identifier: BSD-3-Clause
// Checksums, hashes, sets of handles, names and files of text.
#include <sys/stat.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <core/hash.hpp>
#include <core/mesh.hpp>
#include <core/text.hpp>
#include <core/value_type.hpp>
#include <support/lease.hpp>
#include <support/temporary_directory.hpp>

namespace op2::core {
namespace {

using testing::Optional;

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

TEST(HandleSet, ContainsWhatWasInsertedHoweverMuch) {
  const std::vector<double> records(1000);
  HandleSet set;
  for (std::size_t k = 0; k < records.size(); k += 2) set.insert(&records[k]);
  for (std::size_t k = 0; k < records.size(); ++k)
    ASSERT_EQ(set.contains(&records[k]), k % 2 == 0) << k;
}

TEST(HandleSet, KeepsAllOthersWhenOneIsErased) {
  const std::vector<double> records(100);
  HandleSet set;
  for (const double& record : records) set.insert(&record);
  for (std::size_t gone = 0; gone < records.size(); ++gone) {
    set.erase(&records[gone]);
    for (std::size_t k = 0; k < records.size(); ++k)
      ASSERT_EQ(set.contains(&records[k]), k > gone) << gone << " erased, " << k;
  }
}

TEST(HandleSet, ContainsARecordOnce) {
  const double record = 0;
  HandleSet set;
  for (int k = 0; k < 100; ++k) set.insert(&record);
  set.erase(&record);
  EXPECT_FALSE(set.contains(&record));
}

TEST(HandleSet, NeverContainsNull) {
  HandleSet set;
  EXPECT_FALSE(set.contains(nullptr));
  set.erase(nullptr);
  EXPECT_FALSE(set.contains(nullptr));
}

TEST(HandleSet, ContainsNothingOnceCleared) {
  const double record = 0;
  HandleSet set;
  set.insert(&record);
  set.clear();
  EXPECT_FALSE(set.contains(&record));
}

TEST(UniqueNames, ANameThatIsTakenGetsANumber) {
  UniqueNames names;
  EXPECT_EQ(names.take("q"), "q");
  EXPECT_EQ(names.take("q"), "q#2");
  EXPECT_EQ(names.take("q"), "q#3");
}

TEST(UniqueNames, ANumberThatAnotherRecordHasInItsNameIsSkipped) {
  UniqueNames names;
  names.take("q#2");
  names.take("q");
  EXPECT_EQ(names.take("q"), "q#3");
}

TEST(UniqueNames, ASharedNameIsTakenUntilItsLastUserEnds) {
  UniqueNames names;
  names.share("t");
  names.share("t");
  names.end_share("t");
  EXPECT_EQ(names.take("t"), "t#2");
  names.end_share("t");
  EXPECT_EQ(names.take("t"), "t");
}

// Looking at all records for every number would take hours.
TEST(UniqueNames, FiftyThousandRecordsMayWantOneName) {
  UniqueNames names;
  std::string last;
  for (int k = 0; k < 50'000; ++k) last = names.take("q");
  EXPECT_EQ(last, "q#50000");
}

TEST(DidYouMean, NamesTheNearestIfItIsNear) {
  EXPECT_EQ(did_you_mean("doulbe", type_names()), "; did you mean 'double'?");
  EXPECT_EQ(did_you_mean("integer", std::vector<std::string>{"float", "integers"}),
            "; did you mean 'integers'?");
  EXPECT_EQ(did_you_mean("flaot", type_names()), "; did you mean 'float'?");
}

TEST(DidYouMean, IsEmptyIfNothingIsNear) {
  for (const char* const far : {"real", "d", "char", "x", ""})
    EXPECT_EQ(did_you_mean(far, type_names()), "") << far;
  EXPECT_EQ(did_you_mean("real", {}), "");
}

TEST(TextFile, OnWhichAnotherHoldsALeaseIsRead) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.txt";
  std::ofstream(path) << "text";
  const test::Lease lease(path);
  if (!lease.held()) GTEST_SKIP() << "this file system has no leases";
  EXPECT_THAT(read_file(path.c_str()), Optional(std::string("text")));
}

TEST(TextFile, ThatIsAFifoIsNotWaitedFor) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.txt";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(read_file(path.c_str()), std::nullopt);
}

}  // namespace

}  // namespace op2::core
