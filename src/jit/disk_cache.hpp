// SPDX-License-Identifier: BSD-3-Clause
// Compiled kernels on disk: one file with a checksum per key, in a directory that only this user
// can write to. Whatever the file system does, the worst outcome is another compilation.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <core/log.hpp>
#include <core/options.hpp>
#include <jit/cache_directory.hpp>
#include <jit/cache_entry.hpp>

namespace op2::jit {

using core::CacheMode;

struct CacheOptions {
  CacheMode mode = CacheMode::read_write;
  std::string directory;    ///< empty: $XDG_CACHE_HOME/op2, else $HOME/.cache/op2
  std::string shared;       ///< as OP2_CACHE_RO: caches that are searched first, and only read
  std::string shared_list;  ///< file that names them if `shared` does not; empty: none
  std::int64_t max_bytes = std::int64_t{1}
                           << 30;  ///< least recently used entries are removed first
  std::chrono::milliseconds max_wait{
      15'000};  ///< how long one `Jit::make` waits for other processes
  std::chrono::milliseconds silent_wait{1'000};  ///< longer waits are logged
};

/// The exclusive right, among all processes and threads, to compile one key. The operating system
/// releases it when a process dies.
struct Claim {
  FileDescriptor lock{};
  /// Another one held the claim, or the entry exists by now: search again before compiling.
  bool look_again = false;
};

/// Thread safe. Failures of the file system are neither exceptions nor errors, only warnings, each
/// kind once. Local: with several ranks one of them calls it and broadcasts the entry.
///
/// To make an entry once among all processes (a thread that holds a claim must not request another
/// one, so that there are no deadlocks):
///
///     if (auto entry = cache.find(key, fields)) return *entry;
///     const Claim claim = cache.claim(key, kernel);
///     if (claim.look_again) if (auto entry = cache.find(key, fields)) return *entry;
///     CacheEntry entry = compile();
///     cache.publish(key, entry);
class DiskCache {
 public:
  using Clock = std::chrono::steady_clock;

  /// Never fails: a cache that is off, or has no usable directory, finds and stores nothing.
  /// @param log  must outlive the cache
  static std::unique_ptr<DiskCache> open(const CacheOptions& options, core::Log& log);

  /// The verified entry of `key`. An entry that is damaged, or whose stored fields are not
  /// `expected`, is renamed and counts as missing; one of another format is only missing. Cost: one
  /// read and one hash of the file.
  std::optional<CacheEntry> find(const Key& key, const KeyFields& expected);

  /// Waits while another process or thread holds the claim of `key`, at most until `deadline`; logs
  /// longer waits. Without a writable directory, returns an empty claim at once.
  /// @param kernel  its name, for the log
  Claim claim(const Key& key, const std::string& kernel, Clock::time_point deadline);
  Claim claim(const Key& key, const std::string& kernel) { return claim(key, kernel, deadline()); }

  /// The end of waiting, if the first wait begins now.
  Clock::time_point deadline() const { return Clock::now() + options_.max_wait; }

  /// Writes the entry atomically. An existing entry is kept.
  void publish(const Key& key, const CacheEntry& entry);

  /// Renames the entry of `key`, because its object does not link. A shared one is not used again.
  void reject(const Key& key, std::string_view reason);

  /// Path of the directory; empty if none is used.
  const std::string& path() const { return path_; }

 private:
  struct Shared {
    std::string path;
    CacheDirectory directory;
  };
  DiskCache(const CacheOptions& options, core::Log& log);
  void open_directory();
  void open_shared_caches();
  std::optional<CacheEntry> find_shared(const Key& key, const KeyFields& expected);
  bool writable() const { return directory_ && options_.mode == CacheMode::read_write; }
  void warn(std::string_view kind, const std::string& text);
  void warn_of_shared(const Shared& shared, const Key& key, std::string_view reason);
  void announce_wait(const std::string& kernel, Clock::time_point deadline);
  void set_aside(const std::string& name, std::uint64_t inode, std::string_view reason);
  void sweep_sometimes(std::int64_t written);

  CacheOptions options_;
  core::Log& log_;
  std::string path_;
  std::optional<CacheDirectory> directory_;
  std::vector<Shared> shared_;
  std::mutex mutex_;            ///< of the following members
  std::set<Key> unusable_;      ///< keys of shared entries that do not link
  std::int64_t unswept_bytes_;  ///< written since the directory was last swept
};

}  // namespace op2::jit
