// SPDX-License-Identifier: BSD-3-Clause
// Directories and files that somebody else may have had his hands in.
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/xattr.h>

#include <cstring>

#include <gmock/gmock.h>

#include <jit/cache_directory.hpp>
#include "cache_support.hpp"

namespace op2::jit {
namespace {

using test::entry_number;
using test::file_of;
using test::OpenCache;
using test::path_of;
using test::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace fs = std::filesystem;

std::string problem_of(const fs::path& directory) {
  return CacheDirectory::open(directory.string(), Trust::own).problem;
}

TEST(CacheDirectory, OfOnesOwnIsAccepted) {
  const TemporaryDirectory place;
  EXPECT_EQ(problem_of(place.path()), "");
}

TEST(CacheDirectory, ThatOthersMayWriteIsRefusedAndNotHealed) {
  const TemporaryDirectory place;
  for (const mode_t mode : {0770, 0702, 0777, 01777}) {
    chmod(place.path().c_str(), mode);
    EXPECT_THAT(problem_of(place.path()), HasSubstr(mode > 0777 ? "1777" : "(mode 7"));
    EXPECT_EQ(OpenCache(place.path()).cache->path(), "");
    EXPECT_EQ(static_cast<mode_t>(fs::status(place.path()).permissions()), mode);
  }
}

TEST(CacheDirectory, ThatAnAccessControlListOpensToOthersIsRefused) {
  const TemporaryDirectory place;
  // Version 2; owner rwx, user 65534 rwx, group ---, mask rwx, others ---.
  const unsigned char list[] = {2, 0,   0,   0,   1,   0,   7,  0, 255, 255, 255, 255, 2,   0,  7,
                                0, 254, 255, 0,   0,   4,   0,  0, 0,   255, 255, 255, 255, 16, 0,
                                7, 0,   255, 255, 255, 255, 32, 0, 0,   0,   255, 255, 255, 255};
  if (setxattr(place.path().c_str(), "system.posix_acl_access", list, sizeof list, 0) != 0)
    GTEST_SKIP() << "the file system has no access control lists";
  EXPECT_THAT(problem_of(place.path()), HasSubstr("others may write"));
}

TEST(CacheDirectory, ThatIsASymbolicLinkIsRefused) {
  const TemporaryDirectory place;
  fs::create_directory(place.path() / "real");
  chmod((place / "real").c_str(), 0700);
  fs::create_directory_symlink("real", place.path() / "link");
  EXPECT_THAT(problem_of(place.path() / "link"), HasSubstr("symbolic link"));
  EXPECT_EQ(OpenCache(place / "link/").cache->path(), "");
  EXPECT_EQ(problem_of(place.path() / "real"), "");
}

TEST(CacheDirectory, ThatIsAFileIsRefused) {
  const TemporaryDirectory place;
  test::write_file(place / "file", {});
  EXPECT_THAT(problem_of(place.path() / "file"), HasSubstr("not a directory"));
  EXPECT_EQ(OpenCache(place / "file/below").cache->path(), "");
}

TEST(CacheDirectory, OfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  const TemporaryDirectory place;
  ASSERT_EQ(chown(place.path().c_str(), test::nobody, test::nobody), 0);
  EXPECT_THAT(problem_of(place.path()), HasSubstr("belongs to user 65534"));
}

TEST(CacheDirectory, OfAnotherUserCanBeLookedAt) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  const TemporaryDirectory place;
  test::write_file(path_of(place.path(), entry_number(1)), file_of(entry_number(1)));
  ASSERT_EQ(chown(place.path().c_str(), test::nobody, test::nobody), 0);
  const auto opened = CacheDirectory::open(place.path().string(), Trust::any);
  ASSERT_TRUE(opened.directory);
  EXPECT_THAT(opened.problem, HasSubstr("belongs to user 65534"));
  const auto file = opened.directory->read(entry_name(make_key(entry_number(1).key)), false);
  EXPECT_EQ(file.state, ReadFile::State::read);
}

/// Puts something that is no entry in the place of one: it must be moved away, and the place be
/// usable again.
void expect_repaired(const std::function<void(const fs::path&)>& put) {
  const TemporaryDirectory place;
  const CacheEntry entry = entry_number(1);
  put(path_of(place.path(), entry));
  OpenCache open(place.path());
  EXPECT_FALSE(open.has(entry));
  EXPECT_EQ(test::count_files(place.path(), CacheFileKind::bad), 1);
  open.publish(entry);
  EXPECT_TRUE(open.has(entry));
}

TEST(InPlaceOfAnEntry, APipeIsMovedAway) {
  expect_repaired([](const fs::path& path) { ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); });
}

TEST(InPlaceOfAnEntry, ADirectoryIsMovedAway) {
  expect_repaired([](const fs::path& path) { fs::create_directories(path / "full"); });
}

TEST(InPlaceOfAnEntry, ASymbolicLinkToAValidEntryIsMovedAway) {
  const TemporaryDirectory elsewhere;
  test::write_file(elsewhere / "target", file_of(entry_number(1)));
  expect_repaired([&](const fs::path& path) { fs::create_symlink(elsewhere / "target", path); });
  EXPECT_TRUE(fs::exists(elsewhere / "target"));
}

TEST(InPlaceOfAnEntry, ADanglingSymbolicLinkIsMovedAway) {
  expect_repaired([](const fs::path& path) { fs::create_symlink("nowhere", path); });
}

TEST(InPlaceOfAnEntry, ASecondNameOfAFileIsMovedAway) {
  expect_repaired([](const fs::path& path) {
    test::write_file(path, file_of(entry_number(1)));
    fs::create_hard_link(path, path.parent_path() / "second");
  });
}

TEST(InPlaceOfAnEntry, ASocketIsMovedAway) {
  expect_repaired([](const fs::path& path) {
    const FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const fs::path short_path = path.parent_path() / "s";
    std::strncpy(address.sun_path, short_path.c_str(), sizeof address.sun_path - 1);
    ASSERT_EQ(bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    fs::rename(short_path, path);
  });
}

TEST(InPlaceOfAnEntry, AFileThatOthersMayWriteIsMovedAway) {
  expect_repaired([](const fs::path& path) {
    test::write_file(path, file_of(entry_number(1)));
    chmod(path.c_str(), 0620);
  });
}

TEST(InPlaceOfAnEntry, AFileOfAnotherUserIsMovedAway) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  expect_repaired([](const fs::path& path) {
    test::write_file(path, file_of(entry_number(1)));
    ASSERT_EQ(chown(path.c_str(), test::nobody, test::nobody), 0);
  });
}

TEST(InPlaceOfAnEntry, AnEmptyAndAHugeFileAreMovedAway) {
  for (const std::int64_t size : {std::int64_t{0}, max_entry_bytes + 1})
    expect_repaired([=](const fs::path& path) {
      test::write_file(path, {});
      fs::resize_file(path, static_cast<std::uintmax_t>(size));
    });
}

TEST(HostileFiles, ALockThatIsNoFileOnlyTakesAwayTheClaims) {
  const TemporaryDirectory place;
  mkfifo((place / ".lock").c_str(), 0600);
  OpenCache open(place.path());
  const Claim one = open.cache->claim(Key{}, "k");
  EXPECT_FALSE(open.cache->claim(Key{}, "k").look_again);
  open.publish(entry_number(1));
  EXPECT_TRUE(open.has(entry_number(1)));
}

TEST(FullDisk, TheLimitOfFileSizesOnlyCostsTheEntry) {
  const TemporaryDirectory place;
  EXPECT_EQ(test::in_child([&] {
              const rlimit limit{200, 200};
              setrlimit(RLIMIT_FSIZE, &limit);
              OpenCache open(place.path());
              open.publish(entry_number(1));
              return !open.has(entry_number(1)) ? 0 : 1;
            }),
            0);
  EXPECT_EQ(test::count_files(place.path(), CacheFileKind::entry), 0);
  EXPECT_EQ(test::count_files(place.path(), CacheFileKind::temporary), 0);
}

TEST(ReadOnlyDirectory, IsReadAndOtherwiseLeftInPeace) {
  const TemporaryDirectory place;
  const fs::path directory = place.path() / "cache";
  OpenCache(directory).publish(entry_number(1));
  fs::remove(directory / ".lock");
  chmod(place.path().c_str(), 0711);
  if (geteuid() == 0) {
    for (const fs::path& path : {directory, path_of(directory, entry_number(1))})
      ASSERT_EQ(chown(path.c_str(), test::nobody, test::nobody), 0);
  }
  chmod(directory.c_str(), 0500);
  EXPECT_EQ(test::in_child([&] {
              if (geteuid() == 0 && !test::become_nobody()) return 1;
              OpenCache open(directory);
              const Claim claim = open.cache->claim(Key{}, "k");
              open.publish(entry_number(2));
              return open.has(entry_number(1)) && !open.has(entry_number(2)) ? 0 : 2;
            }),
            0);
  chmod(directory.c_str(), 0700);
}

TEST(WithoutUnnamedFiles, EntriesAreWrittenUnderATemporaryName) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can hide /proc, which unnamed files need";
  const TemporaryDirectory place;
  EXPECT_EQ(test::in_child([&] {
              if (chroot(place.path().c_str()) != 0 || chdir("/") != 0) return 1;
              OpenCache open(fs::path("/cache"));
              open.publish(entry_number(1));
              return open.has(entry_number(1)) ? 0 : 2;
            }),
            0);
  EXPECT_EQ(test::count_files(place.path() / "cache", CacheFileKind::entry), 1);
  EXPECT_EQ(test::count_files(place.path() / "cache", CacheFileKind::temporary), 0);
}

/// The location in an environment of just these variables.
std::string location_with(const char* xdg, const char* home, const std::string& configured = "") {
  const auto set = [](const char* name, const char* value) {
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  };
  const TemporaryDirectory place;
  const pid_t child = test::start_child([&] {
    set("XDG_CACHE_HOME", xdg);
    set("HOME", home);
    std::ofstream(place / "answer") << cache_location(configured);
    return 0;
  });
  test::wait_for(child);
  return op2::test::content_of(place / "answer");
}

TEST(CacheLocation, IsWhatTheUserSaysElseUnderTheCacheHomeElseUnderHome) {
  EXPECT_EQ(location_with("/x", "/usr", "/here//"), "/here");
  EXPECT_EQ(location_with("/x", "/usr"), "/x/op2");
  EXPECT_EQ(location_with(nullptr, "/usr"), "/usr/.cache/op2");
  EXPECT_EQ(location_with("relative", "/usr"), "/usr/.cache/op2");
  EXPECT_EQ(location_with(nullptr, "/nonexistent"), "");
  EXPECT_EQ(location_with(nullptr, "relative"), "");
  EXPECT_EQ(location_with(nullptr, nullptr), "");
}

TEST(CacheLocation, NamesAParentThatEverybodyCanWriteTo) {
  const TemporaryDirectory place;
  fs::create_directories(place.path() / "a" / "b");
  chmod((place / "a").c_str(), 0755);
  EXPECT_EQ(exposed_parent(place / "a/b"), "");
  chmod((place / "a").c_str(), 0777);
  EXPECT_EQ(exposed_parent(place / "a/b"), fs::canonical(place / "a"));
  chmod((place / "a").c_str(), 01777);
  EXPECT_EQ(exposed_parent(place / "a/b"), "");
}

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
