// SPDX-License-Identifier: BSD-3-Clause
#include <random>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jit/cache_entry.hpp>
#include "cache_support.hpp"

namespace op2::jit {
namespace {

using test::entry_number;
using test::file_of;
using test::key_of;
using testing::HasSubstr;

bool same(const CacheEntry& a, const CacheEntry& b) {
  return a.key == b.key && a.symbol == b.symbol && a.signature == b.signature && a.loop == b.loop &&
         a.constants == b.constants && a.simd == b.simd && a.findings == b.findings &&
         a.facts == b.facts && a.source == b.source && a.ir == b.ir && a.assembly == b.assembly &&
         a.object == b.object && a.compile_seconds == b.compile_seconds && a.created == b.created;
}

TEST(CacheFormat, AnEntryReadsBackAsItWas) {
  const CacheEntry entry = entry_number(1);
  const ParsedEntry parsed = parse_entry(file_of(entry));
  ASSERT_EQ(parsed.state, EntryState::good) << parsed.reason;
  EXPECT_EQ(parsed.key, key_of(entry));
  EXPECT_TRUE(same(parsed.entry, entry));
}

TEST(CacheFormat, AnEntryOfEmptyFieldsReadsBack) {
  const CacheEntry entry;
  const ParsedEntry parsed = parse_entry(file_of(entry));
  ASSERT_EQ(parsed.state, EntryState::good) << parsed.reason;
  EXPECT_TRUE(same(parsed.entry, entry));
}

TEST(CacheFormat, EqualEntriesHaveEqualBytes) {
  EXPECT_EQ(file_of(entry_number(1)), file_of(entry_number(1)));
}

TEST(CacheFormat, EveryChangedByteIsDetected) {
  std::vector<std::byte> file = file_of(entry_number(1));
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      file[i] ^= std::byte(flip);
      ASSERT_EQ(parse_entry(file).state, EntryState::bad) << "byte " << i << " ^ " << flip;
      file[i] ^= std::byte(flip);
    }
  }
  EXPECT_EQ(parse_entry(file).state, EntryState::good);
}

TEST(CacheFormat, EveryTruncationIsDetected) {
  const std::vector<std::byte> file = file_of(entry_number(1));
  for (std::size_t size = 0; size < file.size(); ++size)
    ASSERT_EQ(parse_entry(std::span(file).first(size)).state, EntryState::bad) << size;
}

TEST(CacheFormat, ATrailingByteIsDetected) {
  std::vector<std::byte> file = file_of(entry_number(1));
  file.push_back(std::byte{0});
  EXPECT_THAT(parse_entry(file).reason, HasSubstr("length"));
}

TEST(CacheFormat, AFileOfZerosIsNotAnEntry) {
  EXPECT_THAT(parse_entry(std::vector<std::byte>(4096)).reason, HasSubstr("magic"));
}

TEST(CacheFormat, AKeyThatDoesNotFitTheFieldsIsDetectedEvenWithAChecksum) {
  const CacheEntry entry = entry_number(1);
  EXPECT_THAT(parse_entry(serialise(key_of(entry_number(2)), entry)).reason, HasSubstr("key"));
}

TEST(CacheFormat, AnEntryOfAnotherVersionDiffersFromADamagedOne) {
  const ParsedEntry parsed = parse_entry(test::file_of_another_version(entry_number(1)));
  EXPECT_EQ(parsed.state, EntryState::other_version);
  EXPECT_EQ(parsed.key, key_of(entry_number(1)));
  EXPECT_THAT(parsed.reason,
              HasSubstr(fmt::format("format {}, this program reads {}", cache_format_version + 1,
                                    cache_format_version)));
}

/// Replaces, inserts or removes a random stretch, taken from `other` where bytes are needed.
void splice(std::vector<std::byte>& file, const std::vector<std::byte>& other,
            std::mt19937& random) {
  const auto below = [&](std::size_t bound) { return std::ptrdiff_t(random() % (bound + 1)); };
  const auto from = file.begin() + below(file.size());
  const auto at = file.erase(from, from + below(file.end() - from));
  const auto first = other.begin() + below(other.size());
  file.insert(at, first, first + below(other.end() - first));
}

TEST(CacheFormat, NoSplicedEntryIsGood) {
  const std::vector<std::byte> one = file_of(entry_number(1)), two = file_of(entry_number(2));
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    std::vector<std::byte> file = one;
    splice(file, two, random);
    const bool changed = file != one && file != two;
    ASSERT_EQ(parse_entry(file).state, changed ? EntryState::bad : EntryState::good) << i;
  }
}

TEST(CacheFormat, BehindTheChecksumOnlyWhatWouldBeWrittenIsRead) {
  const std::vector<std::byte> one = file_of(entry_number(1)), two = file_of(entry_number(2));
  std::mt19937 random(2);
  for (int i = 0; i < 5000; ++i) {
    std::vector<std::byte> file = one;
    const std::size_t at = 88 + random() % (file.size() - 88);
    file[at] = std::byte(random());
    if (i % 2 != 0) std::swap(file[12], file[16]);
    test::sign(file);
    const ParsedEntry parsed = parse_entry(file);
    if (parsed.state != EntryState::good) continue;
    ASSERT_EQ(serialise(parsed.key, parsed.entry), file) << i;
  }
}

TEST(CacheFormat, ALengthBeyondTheFileIsRefusedWithoutReadingThere) {
  std::vector<std::byte> file = file_of(entry_number(1));
  for (std::size_t i = 88; i < 96; ++i) file[i] = std::byte{0xff};
  test::sign(file);
  EXPECT_THAT(parse_entry(file).reason, HasSubstr("sections"));
}

TEST(CacheKey, ChangesWithEveryField) {
  std::set<Key> keys{make_key({})};
  for (const KeyField& field : key_fields) {
    KeyFields fields;
    fields.*field.value = "x";
    keys.insert(make_key(fields));
  }
  EXPECT_EQ(keys.size(), key_fields.size() + 1);
}

TEST(CacheKey, CoversTheWholeStruct) {
  EXPECT_EQ(sizeof(KeyFields), key_fields.size() * sizeof(std::string));
}

TEST(CacheKey, TellsApartFieldsThatJoinToTheSameText) {
  KeyFields one, other;
  one.kernel = "ab";
  one.source = "c";
  other.kernel = "a";
  other.source = "bc";
  EXPECT_NE(make_key(one), make_key(other));
}

TEST(CacheKey, IsTheSameForEqualFields) {
  KeyFields fields;
  fields.source = "void f() {}";
  EXPECT_EQ(make_key(fields), make_key(KeyFields(fields)));
}

TEST(CacheKey, ReadsBackFromItsName) {
  const Key key = make_key(KeyFields{});
  EXPECT_EQ(core::digest_from_hex(name_of(key)), key);
  EXPECT_FALSE(core::digest_from_hex(short_name_of(key)));
}

TEST(CacheKey, IsFoundByABeginningOfItsName) {
  Key key{};
  key[0] = 0xAB;
  EXPECT_EQ(short_name_of(key), "ab0000000000");
}

}  // namespace
}  // namespace op2::jit
