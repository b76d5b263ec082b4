// SPDX-License-Identifier: BSD-3-Clause
// A directory of cache entries: where it is, whether it can be trusted, and access to its files,
// never to others.
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
#include <jit/file_descriptor.hpp>
#include <jit/trusted_path.hpp>

namespace op2::jit {

/// The kind of a file, from its name.
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

/// Which files are read.
enum class Trust {
  own,     ///< only those that this user alone can write: for code that will run
  shared,  ///< only those that certain users alone can write: likewise
  any      ///< all that can be read: for tools that show them
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

  /// Opens `path`, which for Trust::own must belong to this user, must not be a link, and must not
  /// be writable by others.
  /// @param writers  for Trust::shared: one of them must own it, and its files
  static Opened open(const std::string& path, Trust trust, Writers writers = {});

  /// @param touch  update the time of use, at most once per day
  ReadFile read(const std::string& name, bool touch) const;

  bool contains(const std::string& name) const;

  /// Writes the file atomically. An existing one remains, or is replaced on file systems without
  /// unnamed files. @return why it cannot be written, or empty
  std::string write(const std::string& name, std::span<const std::byte> bytes) const;
  /// The same, instead of an existing one.
  std::string replace(const std::string& name, std::span<const std::byte> bytes) const;

  /// Renames to ".bad.*" if the file still has that inode (0: any); keeps at most 8 of those.
  void quarantine(const std::string& name, std::uint64_t inode) const;

  bool remove(const std::string& name) const;

  /// In no order; files that vanish meanwhile are left out.
  std::vector<CacheFile> files() const;

  /// Opens or creates the file whose locks are claims; none if the directory is not writable.
  FileDescriptor open_lock_file() const;

 private:
  CacheDirectory(FileDescriptor directory, Trust trust, Writers writers)
      : directory_(std::move(directory)), trust_(trust), writers_(std::move(writers)) {}
  FileDescriptor directory_;
  Trust trust_;
  Writers writers_;
};

struct CacheDirectory::Opened {
  std::optional<CacheDirectory> directory;
  std::string problem;  ///< why it was refused, or a warning about it; empty without a problem
};

// Selects the files of a cache directory to remove. Removes nothing itself.

/// Temporary files that were not written to for an hour: their writer has died.
/// @param now  seconds since 1970
std::vector<CacheFile> abandoned(const std::vector<CacheFile>& files, std::int64_t now);

/// Entries and bad entries to remove, least recently used first, until the others have at most
/// `max_bytes` bytes.
std::vector<CacheFile> least_recently_used(const std::vector<CacheFile>& files,
                                           std::int64_t max_bytes);

/// Bytes of all entries and bad entries.
std::int64_t bytes_of(const std::vector<CacheFile>& files);

// Where the cache of compiled kernels is.

/// The directory to use: `configured` if not empty, otherwise op2 under $XDG_CACHE_HOME, otherwise
/// .cache/op2 under $HOME if that exists; without trailing slashes. Empty if there is none
/// (relative paths in variables are ignored), or if the program has more privileges than its user.
std::string cache_location(const std::string& configured);

/// Creates the directory with mode 0700, and missing parents.
/// @return  which of them cannot be created, and why; empty if there is no such problem. The
/// directory may exist nevertheless.
std::string make_cache_directory(const std::string& path);

/// The parent of `path` in which any user could replace it by another directory; empty if there is
/// none.
std::string exposed_parent(const std::string& path);

// Caches of a site: directories that all users of a machine read and none of them writes to.

/// A folder that may be a shared cache.
struct SharedFolder {
  std::string path;
  std::string owner = "root";  ///< name or number of the user who may fill it
};

/// The file in which an administrator names the shared caches of a machine, below the folder for
/// configuration that the build has: /etc/op2/cache_ro.
std::string list_of_shared_folders();

/// The folders of OP2_CACHE_RO, "folder:folder" or "none". If it is empty, all folders of the list;
/// otherwise the list only says who owns them.
/// @param list  a file with a folder and, after blanks, its owner in each line; '#' begins a
///              comment. Not read if others than root and this user can change it.
std::vector<SharedFolder> shared_folders(const std::string& configured, const std::string& list);

/// Opens the folder if only root, this user and its owner can change it, its entries and the
/// folders above it.
CacheDirectory::Opened open_shared(const SharedFolder& folder);

}  // namespace op2::jit
