// SPDX-License-Identifier: BSD-3-Clause
#include <jit/cache_sweep.hpp>

#include <gmock/gmock.h>

#include "cache_support.hpp"

namespace op2::jit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CacheFile file(const char* name, CacheFileKind kind, std::int64_t bytes, std::int64_t used) {
  return {name, kind, bytes, used};
}

std::vector<std::string> names(const std::vector<CacheFile>& files) {
  std::vector<std::string> result;
  for (const CacheFile& each : files) result.push_back(each.name);
  return result;
}

const std::vector<CacheFile> some_files{
    file("new", CacheFileKind::entry, 10, 300), file("old", CacheFileKind::entry, 10, 100),
    file("bad", CacheFileKind::bad, 10, 200), file("temporary", CacheFileKind::temporary, 10, 50),
    file("lock", CacheFileKind::other, 10, 0)};

TEST(CacheSweep, TakesTheLeastRecentlyUsedFirst) {
  EXPECT_THAT(names(least_recently_used(some_files, 30)), IsEmpty());
  EXPECT_THAT(names(least_recently_used(some_files, 29)), ElementsAre("old"));
  EXPECT_THAT(names(least_recently_used(some_files, 19)), ElementsAre("old", "bad"));
  EXPECT_THAT(names(least_recently_used(some_files, 0)), ElementsAre("old", "bad", "new"));
}

TEST(CacheSweep, TakesTemporaryFilesOnlyWhenTheyAreAnHourOld) {
  EXPECT_THAT(names(abandoned(some_files, 50 + 3600)), IsEmpty());
  EXPECT_THAT(names(abandoned(some_files, 50 + 3601)), ElementsAre("temporary"));
}

TEST(CacheSweep, KnowsFilesByTheirNames) {
  EXPECT_EQ(kind_of(entry_name(Key{})), CacheFileKind::entry);
  EXPECT_EQ(kind_of(".bad.0123.4567"), CacheFileKind::bad);
  EXPECT_EQ(kind_of(".tmp.1.2"), CacheFileKind::temporary);
  for (const char* name : {".lock", "README", "abc.op2", ".op2", "op2", ""})
    EXPECT_EQ(kind_of(name), CacheFileKind::other) << name;
}

TEST(CacheSweep, RunsWhenAnEntryIsPublished) {
  const test::TemporaryDirectory place;
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const char* name : {".tmp.old", ".tmp.new", "README"})
    test::write_file(place / name, std::vector<std::byte>(10));
  std::filesystem::last_write_time(place / ".tmp.old", now - std::chrono::hours(2));
  std::filesystem::last_write_time(place / "README", now - std::chrono::hours(2));
  test::OpenCache(place.path()).publish(test::entry_number(1));
  EXPECT_FALSE(std::filesystem::exists(place / ".tmp.old"));
  EXPECT_TRUE(std::filesystem::exists(place / ".tmp.new"));
  EXPECT_TRUE(std::filesystem::exists(place / "README"));
}

TEST(CacheSweep, KeepsWhatWasUsedLast) {
  const test::TemporaryDirectory place;
  const auto now = std::filesystem::file_time_type::clock::now();
  const auto size = static_cast<std::int64_t>(test::file_of(test::entry_number(1)).size());
  for (const int number : {1, 2, 3}) {
    const auto path = test::path_of(place.path(), test::entry_number(number));
    test::write_file(path, test::file_of(test::entry_number(number)));
    std::filesystem::last_write_time(path, now - std::chrono::hours(number == 2 ? 9 : 1));
  }
  CacheOptions options = test::OpenCache::options_for(place.path());
  options.max_bytes = 7 * size / 2;
  test::OpenCache open(options);
  open.publish(test::entry_number(4));
  for (const int number : {1, 3, 4}) EXPECT_TRUE(open.has(test::entry_number(number))) << number;
  EXPECT_FALSE(open.has(test::entry_number(2)));
}

}  // namespace
}  // namespace op2::jit
