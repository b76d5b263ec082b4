// SPDX-License-Identifier: BSD-3-Clause
#include <jit/disk_cache.hpp>

#include <chrono>

#include <gmock/gmock.h>

#include "cache_support.hpp"

namespace op2::jit {
namespace {

using test::count_files;
using test::entry_number;
using test::file_of;
using test::key_of;
using test::OpenCache;
using test::path_of;
using test::TemporaryDirectory;
using testing::HasSubstr;
namespace fs = std::filesystem;

TEST(DiskCache, FindsWhatWasPublished) {
  const TemporaryDirectory place;
  const CacheEntry entry = entry_number(1);
  OpenCache(place.path()).publish(entry);
  OpenCache later(place.path());
  const auto found = later.cache->find(key_of(entry), entry.key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->object, entry.object);
}

TEST(DiskCache, MissesWhatWasNot) {
  const TemporaryDirectory place;
  OpenCache open(place.path());
  EXPECT_FALSE(open.has(entry_number(1)));
  EXPECT_EQ(count_files(place.path(), CacheFileKind::bad), 0);
}

TEST(DiskCache, MakesItsDirectoryPrivateAndTheParentsToo) {
  const TemporaryDirectory place;
  const fs::path directory = place.path() / "a" / "b";
  const OpenCache open(directory);
  EXPECT_EQ(open.cache->path(), directory);
  EXPECT_EQ(fs::status(directory).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(place.path() / "a").permissions(), fs::perms::owner_all);
}

TEST(DiskCache, WritesFilesThatOnlyTheirOwnerReads) {
  const TemporaryDirectory place;
  OpenCache(place.path()).publish(entry_number(1));
  EXPECT_EQ(fs::status(path_of(place.path(), entry_number(1))).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST(DiskCache, LeavesAnExistingEntryAlone) {
  const TemporaryDirectory place;
  OpenCache open(place.path());
  open.publish(entry_number(1));
  CacheEntry other = entry_number(1);
  other.loop = "another loop";
  open.publish(other);
  EXPECT_EQ(open.cache->find(key_of(other), other.key)->loop, "loop1");
}

TEST(DiskCache, OffFindsAndKeepsNothing) {
  const TemporaryDirectory place;
  CacheOptions options = OpenCache::options_for(place.path() / "new");
  options.mode = CacheMode::off;
  OpenCache open(options);
  open.publish(entry_number(1));
  EXPECT_FALSE(open.has(entry_number(1)));
  EXPECT_FALSE(open.cache->claim(Key{}, "k").look_again);
  EXPECT_FALSE(fs::exists(place.path() / "new"));
}

TEST(DiskCache, ReadOnlyFindsButLeavesTheDirectoryAsItIs) {
  const TemporaryDirectory place;
  test::write_file(path_of(place.path(), entry_number(1)), file_of(entry_number(1)));
  test::write_file(path_of(place.path(), entry_number(2)), std::vector<std::byte>(200));
  CacheOptions options = OpenCache::options_for(place.path());
  options.mode = CacheMode::read_only;
  OpenCache open(options);
  const Claim claim = open.cache->claim(Key{}, "k");
  open.publish(entry_number(3));
  EXPECT_TRUE(open.has(entry_number(1)));
  EXPECT_FALSE(open.has(entry_number(2)));
  EXPECT_EQ(std::distance(fs::directory_iterator(place.path()), {}), 2);
}

TEST(DiskCache, MovesADamagedEntryAwayAndAcceptsANewOne) {
  const TemporaryDirectory place;
  const CacheEntry entry = entry_number(1);
  std::vector<std::byte> file = file_of(entry);
  file.back() ^= std::byte{1};
  test::write_file(path_of(place.path(), entry), file);
  OpenCache open(place.path());
  EXPECT_FALSE(open.has(entry));
  EXPECT_EQ(count_files(place.path(), CacheFileKind::bad), 1);
  open.publish(entry);
  EXPECT_TRUE(open.has(entry));
}

TEST(DiskCache, RefusesTheValidEntryOfAnotherKey) {
  const TemporaryDirectory place;
  test::write_file(path_of(place.path(), entry_number(1)), file_of(entry_number(2)));
  OpenCache open(place.path());
  EXPECT_FALSE(open.has(entry_number(1)));
  EXPECT_EQ(count_files(place.path(), CacheFileKind::bad), 1);
}

TEST(DiskCache, RefusesAnEntryWhoseFieldsAreNotTheExpectedOnes) {
  const TemporaryDirectory place;
  OpenCache open(place.path());
  open.publish(entry_number(1));
  EXPECT_FALSE(open.cache->find(key_of(entry_number(1)), entry_number(2).key));
}

TEST(DiskCache, AnEntryOfAnotherVersionIsMissingButNotBad) {
  const TemporaryDirectory place;
  test::write_file(path_of(place.path(), entry_number(1)),
                   test::file_of_another_version(entry_number(1)));
  OpenCache open(place.path());
  EXPECT_FALSE(open.has(entry_number(1)));
  EXPECT_EQ(count_files(place.path(), CacheFileKind::bad), 0);
  EXPECT_EQ(count_files(place.path(), CacheFileKind::entry), 1);
}

TEST(DiskCache, AnEntryThatDoesNotLinkCanBeRejected) {
  const TemporaryDirectory place;
  OpenCache open(place.path());
  open.publish(entry_number(1));
  open.cache->reject(key_of(entry_number(1)), "undefined symbol");
  EXPECT_FALSE(open.has(entry_number(1)));
  EXPECT_EQ(count_files(place.path(), CacheFileKind::bad), 1);
}

TEST(DiskCache, KeepsEightBadEntries) {
  const TemporaryDirectory place;
  OpenCache open(place.path());
  for (int i = 0; i < 12; ++i) {
    open.publish(entry_number(i));
    open.cache->reject(key_of(entry_number(i)), "test");
  }
  EXPECT_EQ(count_files(place.path(), CacheFileKind::bad), 8);
}

TEST(DiskCache, StaysBelowItsLimit) {
  const TemporaryDirectory place;
  CacheOptions options = OpenCache::options_for(place.path());
  const auto size = static_cast<std::int64_t>(file_of(entry_number(1)).size());
  options.max_bytes = 4 * size;
  OpenCache open(options);
  for (int i = 1; i <= 9; ++i) open.publish(entry_number(i));
  EXPECT_LE(count_files(place.path(), CacheFileKind::entry), 4);
  EXPECT_GE(count_files(place.path(), CacheFileKind::entry), 2);
}

TEST(DiskCache, AHitRenewsTheTimeOfUseOncePerDay) {
  const TemporaryDirectory place;
  OpenCache open(place.path());
  open.publish(entry_number(1));
  const fs::path file = path_of(place.path(), entry_number(1));
  const auto now = fs::file_time_type::clock::now();
  for (const auto age : {std::chrono::hours(48), -std::chrono::hours(48)}) {
    fs::last_write_time(file, now - age);
    EXPECT_TRUE(open.has(entry_number(1)));
    EXPECT_GT(fs::last_write_time(file), now - std::chrono::hours(1));
    EXPECT_LT(fs::last_write_time(file), now + std::chrono::hours(1));
  }
  fs::last_write_time(file, now - std::chrono::hours(2));
  EXPECT_TRUE(open.has(entry_number(1)));
  EXPECT_LT(fs::last_write_time(file), now - std::chrono::hours(1));
}

TEST(DiskCache, AClaimExcludesOthersUntilItEndsButNotForEver) {
  const TemporaryDirectory place;
  CacheOptions options = OpenCache::options_for(place.path());
  options.max_wait = std::chrono::milliseconds(5);
  OpenCache open(options);
  {
    const Claim held = open.cache->claim(Key{}, "k");
    EXPECT_FALSE(held.look_again);
    EXPECT_TRUE(open.cache->claim(Key{}, "k").look_again);
  }
  EXPECT_FALSE(open.cache->claim(Key{}, "k").look_again);
}

TEST(DiskCache, ALongWaitIsAnnouncedWhileItLasts) {
  const TemporaryDirectory place;
  CacheOptions options = OpenCache::options_for(place.path());
  options.max_wait = std::chrono::milliseconds(5);
  options.silent_wait = std::chrono::milliseconds(0);
  testing::internal::CaptureStderr();
  core::Log log(core::LogLevel::warning);
  const auto cache = DiskCache::open(options, log);
  const Claim held = cache->claim(Key{}, "flux");
  cache->claim(Key{}, "flux");
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      testing::AllOf(HasSubstr("is compiling kernel 'flux'"), HasSubstr("waiting at most 0.0 s")));
}

TEST(DiskCache, WaitsOfOneDeadlineDoNotAddUp) {
  const TemporaryDirectory place;
  OpenCache open(place.path());
  const Claim held = open.cache->claim(Key{}, "k");
  const auto past = DiskCache::Clock::now();
  EXPECT_FALSE(open.cache->claim(Key{}, "k", past).look_again);
}

TEST(DiskCache, ClaimsOfDifferentKeysDoNotWait) {
  const TemporaryDirectory place;
  OpenCache open(place.path());
  const Claim one = open.cache->claim(key_of(entry_number(1)), "k");
  const Claim two = open.cache->claim(key_of(entry_number(2)), "k");
  EXPECT_FALSE(two.look_again);
}

TEST(DiskCache, ReportsWhyADirectoryIsRefused) {
  const TemporaryDirectory place;
  chmod(place.path().c_str(), 0770);
  testing::internal::CaptureStderr();
  core::Log log(core::LogLevel::warning);
  const auto cache = DiskCache::open(OpenCache::options_for(place.path()), log);
  EXPECT_EQ(cache->path(), "");
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      testing::AllOf(HasSubstr(place.path().string()), HasSubstr("mode 770"),
                     HasSubstr("so every run compiles them again"), HasSubstr("OP2_CACHE_DIR")));
}

TEST(DiskCache, ReportsWhichParentCannotBeMade) {
  const TemporaryDirectory place;
  const fs::path file = place / "file";
  test::write_file(file, std::vector<std::byte>(1));
  testing::internal::CaptureStderr();
  core::Log log(core::LogLevel::warning);
  EXPECT_EQ(DiskCache::open(OpenCache::options_for(file / "deep" / "cache"), log)->path(), "");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("so every run compiles them again: '" + (file / "deep").string() +
                        "' cannot be created: Not a directory; set OP2_CACHE_DIR to"));
}

TEST(DiskCache, SaysEachKindOfWarningOnce) {
  const TemporaryDirectory place;
  for (int i = 0; i < 3; ++i)
    test::write_file(path_of(place.path(), entry_number(i)), std::vector<std::byte>(200));
  CacheOptions options = OpenCache::options_for(place.path());
  options.max_wait = options.silent_wait = std::chrono::milliseconds(0);
  testing::internal::CaptureStderr();
  core::Log log(core::LogLevel::warning);
  const auto cache = DiskCache::open(options, log);
  for (int i = 0; i < 3; ++i) cache->find(key_of(entry_number(i)), entry_number(i).key);
  const Claim held = cache->claim(Key{}, "flux");
  for (int i = 0; i < 3; ++i)
    cache->claim(Key{}, "flux", DiskCache::Clock::now() + std::chrono::milliseconds(5));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, testing::AllOf(HasSubstr("is damaged"), HasSubstr("is compiling")));
  EXPECT_EQ(std::ranges::count(said, '\n'), 2) << said;
}

TEST(DiskCache, WarnsOnceHoweverMuchIsWrong) {
  const TemporaryDirectory place;
  for (int i = 0; i < 3; ++i)
    test::write_file(path_of(place.path(), entry_number(i)), std::vector<std::byte>(200));
  testing::internal::CaptureStderr();
  core::Log log(core::LogLevel::warning);
  const auto cache = DiskCache::open(OpenCache::options_for(place.path()), log);
  for (int i = 0; i < 3; ++i) cache->find(key_of(entry_number(i)), entry_number(i).key);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
}

}  // namespace
}  // namespace op2::jit
