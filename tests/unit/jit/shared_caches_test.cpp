// SPDX-License-Identifier: BSD-3-Clause
// Caches of a site: searched first, trusted by their owner, never written to.
#include <jit/cache_directory.hpp>

#include <chrono>

#include <gmock/gmock.h>

#include "cache_support.hpp"

namespace op2::jit {
namespace {

using test::count_files;
using test::entry_number;
using test::file_of;
using test::key_of;
using test::path_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

MATCHER_P2(IsFolder, path, owner, "") {
  return arg.path == path && arg.owner == owner;
}

struct SharedCaches : testing::Test {
  op2::test::TemporaryDirectory place, home;
  const fs::path shared = fs::canonical(place.path()) / "shared", own = home.path() / "own";
  const fs::path list = fs::canonical(place.path()) / "cache_ro";
  core::Log log{core::LogLevel::warning};

  SharedCaches() {
    fs::create_directory(shared);
    chmod(shared.c_str(), 0755);
  }
  void put(const CacheEntry& entry) {
    test::write_file(path_of(shared, entry), file_of(entry));
    chmod(path_of(shared, entry).c_str(), 0644);
  }
  void write_list(const std::string& text) {
    std::ofstream(list) << text;
    chmod(list.c_str(), 0644);
  }
  CacheOptions options() const {
    CacheOptions options;
    options.directory = own.string();
    options.shared = shared.string();
    return options;
  }
  std::unique_ptr<DiskCache> open() { return DiskCache::open(options(), log); }
  static bool has(DiskCache& cache, const CacheEntry& entry) {
    return cache.find(key_of(entry), entry.key).has_value();
  }
  /// What is logged when the cache is opened and asked twice.
  std::string said() {
    testing::internal::CaptureStderr();
    core::Log fresh{core::LogLevel::warning};
    const auto cache = DiskCache::open(options(), fresh);
    for (int i = 0; i < 2; ++i) cache->find(key_of(entry_number(i)), entry_number(i).key);
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(SharedCaches, AreSearchedBeforeTheUsersOwn) {
  CacheEntry theirs = entry_number(1), mine = entry_number(1);
  theirs.loop = "of the site";
  put(theirs);
  const auto cache = open();
  cache->publish(key_of(mine), mine);
  EXPECT_EQ(cache->find(key_of(mine), mine.key)->loop, "of the site");
  EXPECT_FALSE(has(*cache, entry_number(2)));
}

TEST_F(SharedCaches, AreNotWrittenTo) {
  put(entry_number(1));
  CacheEntry bad = entry_number(2);
  std::vector<std::byte> bytes = file_of(bad);
  bytes.back() ^= std::byte{1};
  test::write_file(path_of(shared, bad), bytes);
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(100);
  fs::last_write_time(path_of(shared, entry_number(1)), old);
  const auto cache = open();
  EXPECT_TRUE(has(*cache, entry_number(1)));
  EXPECT_EQ(fs::last_write_time(path_of(shared, entry_number(1))), old);
  EXPECT_FALSE(has(*cache, bad));
  cache->claim(key_of(bad), "k");
  cache->publish(key_of(bad), bad);
  cache->reject(key_of(entry_number(1)), "it does not link");
  EXPECT_EQ(std::distance(fs::directory_iterator(shared), {}), 2);
  EXPECT_EQ(count_files(own, CacheFileKind::entry), 1);
}

TEST_F(SharedCaches, AnEntryThatDoesNotLinkIsReplacedByTheUsersOwn) {
  put(entry_number(1));
  const auto cache = open();
  cache->reject(key_of(entry_number(1)), "it does not link");
  EXPECT_FALSE(has(*cache, entry_number(1)));
  cache->publish(key_of(entry_number(1)), entry_number(1));
  EXPECT_TRUE(has(*cache, entry_number(1)));
}

TEST_F(SharedCaches, AreUsedWithoutADirectoryOfTheUser) {
  put(entry_number(1));
  std::ofstream(own) << "not a folder";
  EXPECT_TRUE(has(*open(), entry_number(1)));
}

TEST_F(SharedCaches, ServeUsersWhoCannotWriteToThem) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  put(entry_number(1));
  chmod(place.path().c_str(), 0755);
  EXPECT_EQ(test::in_child([&] {
              if (!test::become_nobody()) return 2;
              return has(*open(), entry_number(1)) ? 0 : 1;
            }),
            0);
}

TEST_F(SharedCaches, AreIgnoredWithOneWarningIfOthersCanWriteToThem) {
  put(entry_number(1));
  for (const fs::path& part : {shared, shared.parent_path()}) {
    const auto before = fs::status(part).permissions();
    chmod(part.c_str(), 0777);
    const std::string text = said();
    EXPECT_THAT(text, AllOf(HasSubstr("shared cache of compiled kernels in '" + shared.string()),
                            HasSubstr("'" + part.string() + "': owner "), HasSubstr("mode 777")));
    EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
    EXPECT_FALSE(has(*open(), entry_number(1)));
    fs::permissions(part, before);
  }
  EXPECT_TRUE(has(*open(), entry_number(1)));
}

TEST_F(SharedCaches, EntriesThatOthersCanWriteAreNotUsed) {
  put(entry_number(1));
  chmod(path_of(shared, entry_number(1)).c_str(), 0666);
  const std::string text = said();
  EXPECT_THAT(text, AllOf(HasSubstr("others may write to it (mode 666)"), HasSubstr("who fills")));
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
}

TEST_F(SharedCaches, BelongToRootOrTheUserThatTheMachineNames) {
  put(entry_number(1));
  if (chown(shared.c_str(), test::nobody, 0) != 0 ||
      chown(path_of(shared, entry_number(1)).c_str(), test::nobody, 0) != 0)
    GTEST_SKIP() << "only root can give files away";
  EXPECT_FALSE(has(*open(), entry_number(1)));
  write_list("# shared caches\n" + shared.string() + "  65534  # of nobody\n");
  CacheOptions named = options();
  named.shared_list = list.string();
  EXPECT_TRUE(has(*DiskCache::open(named, log), entry_number(1)));
  named.shared.clear();
  EXPECT_TRUE(has(*DiskCache::open(named, log), entry_number(1)));
}

TEST_F(SharedCaches, AreThoseOfTheListUnlessTheUserNamesOthers) {
  write_list("/a\n/b builder\n\n");
  EXPECT_THAT(shared_folders("", list),
              ElementsAre(IsFolder("/a", "root"), IsFolder("/b", "builder")));
  EXPECT_THAT(shared_folders("/b:/c", list),
              ElementsAre(IsFolder("/b", "builder"), IsFolder("/c", "root")));
  EXPECT_THAT(shared_folders("none", list), IsEmpty());
  EXPECT_THAT(shared_folders("", ""), IsEmpty());
}

TEST_F(SharedCaches, AListThatOthersCanChangeDoesNotCount) {
  write_list("/a\n");
  chmod(list.c_str(), 0666);
  EXPECT_THAT(shared_folders("", list), IsEmpty());
}

TEST_F(SharedCaches, NeedAnAbsolutePathAndAKnownOwner) {
  EXPECT_THAT(open_shared({"folder"}).problem, HasSubstr("not absolute"));
  EXPECT_THAT(open_shared({shared.string(), "no such user"}).problem,
              HasSubstr("no user 'no such user'"));
}

TEST_F(SharedCaches, AreOffWithTheCache) {
  put(entry_number(1));
  CacheOptions off = options();
  off.mode = CacheMode::off;
  EXPECT_FALSE(has(*DiskCache::open(off, log), entry_number(1)));
}

}  // namespace
}  // namespace op2::jit
