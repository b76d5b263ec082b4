// SPDX-License-Identifier: BSD-3-Clause
// A directory of cache entries: where it is, whether it can be trusted, and access to its files
// that never leaves it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <jit/cache_entry.hpp>

namespace op2::jit {

/// Owns an open file; -1 is none.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor();
  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// The kind of a file, by its name.
enum class CacheFileKind { entry, bad, temporary, other };
CacheFileKind kind_of(std::string_view name);

/// "<64 digits>.op2"
std::string entry_name(const Key& key);

struct CacheFile {
  std::string name;
  CacheFileKind kind;
  std::int64_t bytes;
  std::int64_t used;  ///< last modification or use, seconds since 1970
};

/// Whose files are read.
enum class Trust {
  own,  ///< only what this user alone can write: for code that will run
  any   ///< whatever can be read: for looking at it
};

struct ReadFile {
  enum class State { read, missing, unreadable, refused };
  State state = State::missing;
  std::string reason;       ///< why it is unreadable (for now) or refused (for good)
  std::uint64_t inode = 0;  ///< 0: unknown
  std::vector<std::byte> bytes{};
};

class CacheDirectory {
 public:
  struct Opened;

  /// Opens `path`, which for Trust::own must be this user's, no link, and closed to other writers.
  static Opened open(const std::string& path, Trust trust);

  /// @param touch  renew the time of use, at most once per day
  ReadFile read(const std::string& name, bool touch) const;

  bool contains(const std::string& name) const;

  enum class Write { done, existed, failed };
  struct Written {
    Write state;
    std::string reason;
  };
  /// All of the file appears under `name` or nothing.
  Written write(const std::string& name, std::span<const std::byte> bytes) const;

  /// Renames to ".bad.*" if the file still has that inode (0: any), else nothing; keeps 8 of those.
  void quarantine(const std::string& name, std::uint64_t inode) const;

  bool remove(const std::string& name) const;

  /// In no order; files that vanish meanwhile are left out.
  std::vector<CacheFile> files() const;

  /// Opens, and makes if missing, the file that claims are locks on; none if the directory cannot
  /// be written.
  FileDescriptor open_lock_file() const;

 private:
  CacheDirectory(FileDescriptor directory, Trust trust)
      : directory_(std::move(directory)), trust_(trust) {}
  FileDescriptor directory_;
  Trust trust_;
};

struct CacheDirectory::Opened {
  std::optional<CacheDirectory> directory;
  std::string problem;  ///< why it was refused, or what is doubtful about it; empty if all is well
};

}  // namespace op2::jit
