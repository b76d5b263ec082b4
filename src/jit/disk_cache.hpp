// SPDX-License-Identifier: BSD-3-Clause
// Compiled kernels on disk: one self-checking file per key in a directory that nobody else can
// write to. Whatever the file system does, the worst outcome is a compilation more.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <core/log.hpp>
#include <core/options.hpp>
#include <jit/cache_directory.hpp>
#include <jit/cache_entry.hpp>

namespace op2::jit {

using core::CacheMode;

struct CacheOptions {
  CacheMode mode = CacheMode::read_write;
  std::string directory;  ///< empty: $XDG_CACHE_HOME/op2, else $HOME/.cache/op2
  std::int64_t max_bytes = std::int64_t{1} << 30;  ///< least recently used entries go first
  std::chrono::milliseconds max_wait{
      15'000};  ///< how long one `Jit::get` waits for other processes
  std::chrono::milliseconds silent_wait{1'000};  ///< a longer wait is announced while it lasts
};

struct CacheStatistics {
  std::int64_t hits = 0;
  std::int64_t misses = 0;  ///< bad entries included
  std::int64_t bad = 0;     ///< entries that were refused and moved away
  std::int64_t published = 0;
  std::int64_t failed = 0;  ///< entries that could not be written
  std::int64_t waited = 0;  ///< claims that another process held first
};

/// The right to compile one key, held against all other processes and threads until destroyed. The
/// kernel takes it back from a process that dies.
class Claim {
 public:
  Claim() = default;
  Claim(FileDescriptor lock, bool look_again) : lock_(std::move(lock)), look_again_(look_again) {}

  /// Somebody else held the claim, or the entry is there by now: look before you compile.
  bool look_again() const { return look_again_; }

 private:
  FileDescriptor lock_;
  bool look_again_ = false;
};

/// Thread safe. Nothing that the file system does leaves it as an exception or as an error; at most
/// one warning per `Log` if something is wrong. Local: with several ranks one of them asks,
/// and hands the entry round.
///
/// How to get an entry once among all processes (a thread that holds a claim asks for no other one,
/// so that nobody waits in a circle):
///
///     if (auto entry = cache.find(key, fields)) return *entry;
///     const Claim claim = cache.claim(key, kernel);
///     if (claim.look_again()) if (auto entry = cache.find(key, fields)) return *entry;
///     CacheEntry entry = compile();
///     cache.publish(key, entry);
class DiskCache {
 public:
  using Clock = std::chrono::steady_clock;

  /// Never fails: a cache that is off, or has no usable directory, finds and keeps nothing.
  /// @param log  must outlive the cache
  static std::unique_ptr<DiskCache> open(const CacheOptions& options, core::Log& log);

  /// The verified entry of `key`. An entry that is damaged, or whose stored fields are not
  /// `expected`, is moved away and counts as missing; one of another format is only missing. Cost:
  /// one read and one hash of the file.
  std::optional<CacheEntry> find(const Key& key, const KeyFields& expected);

  /// Waits while another process or thread holds the claim of `key`, at most until `deadline`, and
  /// says so in the log. Without a writable directory the claim is empty and comes at once.
  /// @param kernel  its name, for the log
  Claim claim(const Key& key, const std::string& kernel, Clock::time_point deadline);
  Claim claim(const Key& key, const std::string& kernel) { return claim(key, kernel, deadline()); }

  /// When to stop waiting if the first wait begins now.
  Clock::time_point deadline() const { return Clock::now() + options_.max_wait; }

  /// Writes the entry so that others see all of it or nothing. An entry that exists is left alone.
  void publish(const Key& key, const CacheEntry& entry);

  /// Moves the entry of `key` away: its object does not link.
  void reject(const Key& key, std::string_view reason);

  /// Path of the directory; empty if there is none in use.
  const std::string& path() const { return path_; }

  CacheStatistics statistics() const;

 private:
  DiskCache(const CacheOptions& options, core::Log& log);
  void open_directory();
  bool writable() const { return directory_ && options_.mode == CacheMode::read_write; }
  void warn(const std::string& text);
  void announce_wait(const std::string& kernel, Clock::time_point deadline);
  void count(std::int64_t CacheStatistics::* what);
  void set_aside(const std::string& name, std::uint64_t inode, std::string_view reason);
  void sweep_sometimes(std::int64_t written);

  CacheOptions options_;
  core::Log& log_;
  std::string path_;
  std::optional<CacheDirectory> directory_;
  mutable std::mutex mutex_;
  CacheStatistics statistics_;
  std::int64_t unswept_bytes_;  ///< written since the directory was last swept
};

}  // namespace op2::jit
