// SPDX-License-Identifier: BSD-3-Clause
#include <jit/disk_cache.hpp>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <thread>

#include <fmt/core.h>

#include <jit/cache_directory.hpp>
#include <jit/cache_entry.hpp>

namespace op2::jit {

namespace {

/// The byte of the lock file for a key. Keys that share a byte only wait for each other.
off_t lock_offset(const Key& key) {
  std::uint64_t offset = 0;
  for (int i = 0; i < 8; ++i) offset = offset << 8 | key[i];
  return static_cast<off_t>(offset >> 2);
}

enum class Lock { taken, held_by_other, failed };

/// The lock belongs to the open file: it excludes other threads with other descriptors, and closing
/// the file releases it.
Lock try_lock(int file, off_t offset) {
  struct flock range{};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = offset;
  range.l_len = 1;
  if (fcntl(file, F_OFD_SETLK, &range) == 0) return Lock::taken;
  return errno == EAGAIN || errno == EACCES ? Lock::held_by_other : Lock::failed;
}

/// The file of a key, and the entry in it if that is good and of the key. Otherwise the file counts
/// as missing if it has another format, and as refused, with the reason, if it is damaged.
struct FoundFile {
  ReadFile file;
  std::optional<CacheEntry> entry{};
};

FoundFile find_in(const CacheDirectory& directory, const Key& key, const KeyFields& expected,
                  bool touch) {
  FoundFile found{directory.read(entry_name(key), touch)};
  if (found.file.state != ReadFile::State::read) return found;
  ParsedEntry parsed = parse_entry(found.file.bytes);
  const bool is_good = parsed.state == EntryState::good;
  if (is_good && parsed.key == key && parsed.entry.key == expected) {
    found.entry = std::move(parsed.entry);
    return found;
  }
  found.file.state = parsed.state == EntryState::other_version ? ReadFile::State::missing
                                                               : ReadFile::State::refused;
  found.file.reason = is_good ? "key: the entry is of another key" : parsed.reason;
  return found;
}

}  // namespace

DiskCache::DiskCache(const CacheOptions& options, core::Log& log)
    : options_(options), log_(log), unswept_bytes_(options.max_bytes) {}

std::unique_ptr<DiskCache> DiskCache::open(const CacheOptions& options, core::Log& log) {
  std::unique_ptr<DiskCache> cache(new DiskCache(options, log));
  if (options.mode == CacheMode::off) return cache;
  cache->open_shared_caches();
  cache->open_directory();
  return cache;
}

/// None in a program with more privileges than its user: others could fill them than may change it.
void DiskCache::open_shared_caches() {
  if (core::is_privileged()) return;
  for (const SharedFolder& folder : shared_folders(options_.shared, options_.shared_list)) {
    auto opened = open_shared(folder);
    if (opened.directory)
      shared_.push_back({folder.path, std::move(*opened.directory)});
    else
      warn(
          folder.path,
          fmt::format("the shared cache of compiled kernels in '{}' is not used: {}; let it belong "
                      "to root, or to the user that '{}' names for it, and give others no "
                      "permission to write",
                      folder.path, opened.problem, list_of_shared_folders()));
  }
}

void DiskCache::open_directory() {
  const std::string path = cache_location(options_.directory);
  if (path.empty()) {
    log_.info(
        "no directory for the cache of compiled kernels, so they are kept in memory only; set "
        "OP2_CACHE_DIR to a directory that only you can write to");
    return;
  }
  const std::string unmade =
      options_.mode == CacheMode::read_write ? make_cache_directory(path) : "";
  auto opened = CacheDirectory::open(path, Trust::own);
  if (!opened.directory) {
    warn("not used",
         fmt::format("the cache of compiled kernels in '{}' is not used, so every run compiles "
                     "them again: {}; set OP2_CACHE_DIR to a directory that only you can write to",
                     path, unmade.empty() ? opened.problem : unmade));
    return;
  }
  directory_ = std::move(opened.directory);
  path_ = path;
  if (const std::string parent = exposed_parent(path); !parent.empty())
    warn("exposed",
         fmt::format("any user can write to '{}' and so replace the cache of compiled kernels in "
                     "'{}'; set OP2_CACHE_DIR to a safer place",
                     parent, path));
}

void DiskCache::warn_of_shared(const Shared& shared, const Key& key, std::string_view reason) {
  warn("shared",
       fmt::format("the shared kernel '{}/{}' cannot be used: {}; tell who fills this cache",
                   shared.path, entry_name(key), reason));
}

/// Nothing is written: neither times of use nor names of damaged entries.
std::optional<CacheEntry> DiskCache::find_shared(const Key& key, const KeyFields& expected) {
  {
    const std::lock_guard lock(mutex_);
    if (unusable_.contains(key)) return std::nullopt;
  }
  for (const Shared& shared : shared_) {
    FoundFile found = find_in(shared.directory, key, expected, false);
    if (found.entry) return std::move(found.entry);
    if (found.file.state != ReadFile::State::missing)
      warn_of_shared(shared, key, found.file.reason);
  }
  return std::nullopt;
}

std::optional<CacheEntry> DiskCache::find(const Key& key, const KeyFields& expected) {
  std::optional<CacheEntry> entry = find_shared(key, expected);
  if (!entry && directory_) {
    FoundFile found = find_in(*directory_, key, expected, writable());
    entry = std::move(found.entry);
    if (found.file.state == ReadFile::State::unreadable)
      warn("not readable",
           fmt::format("cannot read '{}/{}': {}", path_, entry_name(key), found.file.reason));
    if (found.file.state == ReadFile::State::refused)
      set_aside(entry_name(key), found.file.inode, found.file.reason);
  }
  return entry;
}

Claim DiskCache::claim(const Key& key, const std::string& kernel, Clock::time_point deadline) {
  if (!writable()) return {};
  FileDescriptor file = directory_->open_lock_file();
  if (!file) return {};
  const auto begin = Clock::now();
  std::chrono::milliseconds pause{1};
  bool waited = false, announced = false;
  Lock lock = try_lock(file.get(), lock_offset(key));
  while (lock == Lock::held_by_other && Clock::now() < deadline) {
    waited = true;
    if (!announced && Clock::now() - begin >= options_.silent_wait) {
      announced = true;
      announce_wait(kernel, deadline);
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(20));
    lock = try_lock(file.get(), lock_offset(key));
  }
  return {std::move(file), waited || directory_->contains(entry_name(key))};
}

void DiskCache::announce_wait(const std::string& kernel, Clock::time_point deadline) {
  const std::chrono::duration<double> left = deadline - Clock::now();
  warn("waiting",
       fmt::format("another process that uses the cache in '{}' is compiling kernel '{}'; waiting "
                   "at most {:.1f} s for it before compiling it here",
                   path_, kernel, left.count()));
}

void DiskCache::publish(const Key& key, const CacheEntry& entry) {
  if (!writable()) return;
  const std::vector<std::byte> bytes = serialise(key, entry);
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (size > max_entry_bytes) return;
  const std::string problem = directory_->write(entry_name(key), bytes);
  if (problem.empty()) return sweep_sometimes(size);
  warn(
      "not writable",
      fmt::format("cannot write compiled kernels to '{}', so every run compiles them again: {}; "
                  "make room there, or set OP2_CACHE_DIR to a directory that only you can write to",
                  path_, problem));
}

void DiskCache::reject(const Key& key, std::string_view reason) {
  for (const Shared& shared : shared_) {
    if (!shared.directory.contains(entry_name(key))) continue;
    const std::lock_guard lock(mutex_);
    if (!unusable_.insert(key).second) break;
    return warn_of_shared(shared, key, reason);
  }
  if (directory_) set_aside(entry_name(key), 0, reason);
}

/// @param kind  of warning: each is logged once
void DiskCache::warn(std::string_view kind, const std::string& text) {
  log_.warning_once(fmt::format("disk cache: {}", kind), text);
}

void DiskCache::set_aside(const std::string& name, std::uint64_t inode, std::string_view reason) {
  warn("damaged", fmt::format("the cached kernel '{}/{}' is damaged and is compiled again: {}",
                              path_, name, reason));
  if (writable()) directory_->quarantine(name, inode);
}

void DiskCache::sweep_sometimes(std::int64_t written) {
  {
    const std::lock_guard lock(mutex_);
    unswept_bytes_ += written;
    if (unswept_bytes_ < options_.max_bytes / 16) return;
    unswept_bytes_ = 0;
  }
  const std::vector<CacheFile> files = directory_->files();
  for (const CacheFile& file : abandoned(files, std::time(nullptr))) directory_->remove(file.name);
  if (bytes_of(files) <= options_.max_bytes) return;
  // An eighth more than needed, so that the next entries do not cause another sweep.
  const std::int64_t kept = options_.max_bytes - options_.max_bytes / 8;
  for (const CacheFile& file : least_recently_used(files, kept)) directory_->remove(file.name);
}

}  // namespace op2::jit
