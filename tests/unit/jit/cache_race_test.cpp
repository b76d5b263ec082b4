// SPDX-License-Identifier: BSD-3-Clause
// Many threads and processes at one directory, some of which die.
#include <fcntl.h>

#include <csignal>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "cache_support.hpp"

namespace op2::jit {
namespace {

using test::entry_number;
using test::key_of;
using test::OpenCache;
using test::TemporaryDirectory;
namespace fs = std::filesystem;

constexpr int keys = 12;

/// Leaves one byte in the file per entry that it had to make itself.
bool obtain(DiskCache& cache, const CacheEntry& entry, const std::string& made) {
  const Key key = key_of(entry);
  if (const auto found = cache.find(key, entry.key)) return found->object == entry.object;
  const Claim claim = cache.claim(key, "k");
  if (claim.look_again)
    if (const auto found = cache.find(key, entry.key)) return found->object == entry.object;
  const FileDescriptor file(open(made.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600));
  const bool counted = write(file.get(), "x", 1) == 1;
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  cache.publish(key, entry);
  return counted;
}

/// Asks for all keys in a random order.
bool obtain_all(DiskCache& cache, const std::string& made, unsigned seed) {
  std::vector<int> order(keys);
  for (int i = 0; i < keys; ++i) order[static_cast<std::size_t>(i)] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  bool right = true;
  for (const int number : order)
    right &= obtain(cache, entry_number(number), made + std::to_string(number));
  return right;
}

void expect_each_made_once(const std::string& made) {
  for (int number = 0; number < keys; ++number)
    EXPECT_EQ(fs::file_size(made + std::to_string(number)), 1u) << number;
}

TEST(CacheRace, ThreadsMakeEveryEntryOnce) {
  const TemporaryDirectory place;
  OpenCache open(place.path() / "cache");
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 8; ++seed)
    threads.emplace_back([&, seed] { EXPECT_TRUE(obtain_all(*open.cache, place / "made", seed)); });
  for (std::thread& thread : threads) thread.join();
  expect_each_made_once(place / "made");
}

TEST(CacheRace, ProcessesMakeEveryEntryOnce) {
  const TemporaryDirectory place;
  std::vector<pid_t> children;
  for (unsigned seed = 0; seed < 6; ++seed)
    children.push_back(test::start_child([&, seed] {
      OpenCache open(place.path() / "cache");
      return obtain_all(*open.cache, place / "made", seed) ? 0 : 1;
    }));
  for (const pid_t child : children) EXPECT_EQ(test::wait_for(child), 0);
  expect_each_made_once(place / "made");
}

TEST(CacheRace, TheClaimOfAProcessThatDiesIsFree) {
  const TemporaryDirectory place;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = test::start_child([&] {
    OpenCache open(place.path());
    const Claim claim = open.cache->claim(Key{}, "k");
    if (write(ready[1], "x", 1) != 1) return 1;
    pause();
    return 0;
  });
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  CacheOptions options = OpenCache::options_for(place.path());
  options.max_wait = std::chrono::milliseconds(5);
  EXPECT_TRUE(OpenCache(options).cache->claim(Key{}, "k").look_again);
  kill(child, SIGKILL);
  EXPECT_EQ(test::wait_for(child), -SIGKILL);
  EXPECT_FALSE(OpenCache(options).cache->claim(Key{}, "k").look_again);
  close(ready[0]);
  close(ready[1]);
}

TEST(CacheRace, WritersThatAreKilledLeaveOnlyWholeEntries) {
  const TemporaryDirectory place;
  std::mt19937 random(1);
  for (int round = 0; round < 25; ++round) {
    const pid_t child = test::start_child([&] {
      OpenCache open(place.path());
      for (int number = 100 * round;; ++number) open.publish(entry_number(number));
      return 0;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 15'000));
    kill(child, SIGKILL);
    EXPECT_EQ(test::wait_for(child), -SIGKILL);
  }
  const auto opened = CacheDirectory::open(place.path().string(), Trust::own);
  for (const CacheFile& file : opened.directory->files()) {
    EXPECT_NE(file.kind, CacheFileKind::temporary);
    if (file.kind != CacheFileKind::entry) continue;
    const ParsedEntry parsed = parse_entry(opened.directory->read(file.name, false).bytes);
    EXPECT_EQ(parsed.state, EntryState::good) << file.name << ": " << parsed.reason;
  }
  EXPECT_GT(test::count_files(place.path(), CacheFileKind::entry), 0);
}

TEST(CacheRace, ReadersSeeWholeEntriesWhileOthersDamageAndRepairThem) {
  const TemporaryDirectory place;
  std::vector<pid_t> children;
  for (unsigned seed = 0; seed < 4; ++seed)
    children.push_back(test::start_child([&, seed] {
      OpenCache open(place.path());
      std::mt19937 random(seed);
      for (int i = 0; i < 30; ++i) {
        const CacheEntry entry = entry_number(static_cast<int>(random() % 3));
        if (random() % 4 == 0) open.cache->reject(key_of(entry), "test");
        const auto found = open.cache->find(key_of(entry), entry.key);
        if (found && found->object != entry.object) return 1;
        if (!found) open.publish(entry);
      }
      return 0;
    }));
  for (const pid_t child : children) EXPECT_EQ(test::wait_for(child), 0);
}

}  // namespace
}  // namespace op2::jit
