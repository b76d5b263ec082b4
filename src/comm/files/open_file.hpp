// SPDX-License-Identifier: BSD-3-Clause
// Open regular files, writing behind, and what is said of paths; new files that are either complete
// or absent, and what killed writers leave behind. No call waits for another process, but for one
// that has a lease on a file, which it must give up; and no error of the system is lost. Local.
// Everything throws op2::Error io_failure, which names the file, the reason and what to do.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace op2::comm {

/// What to do with a path that has the ending of a mesh generator's file, for the end of a message
/// about a file that has no sets, maps and dats: how op2-mesh converts it. Empty for other paths.
std::string advice_for_mesh(const std::string& path);

/// Throws io_failure with the file, the reason in errno, and what to do.
/// @param action  "create", "read", ... for "cannot create 'path'"
/// @param where   in the file, for the message; may be empty
[[noreturn]] void fail_with_errno(const char* action, const std::string& path,
                                  const std::string& where = {});

/// Throws unless a regular file or nothing is at this path: a FIFO or a device would block, or be
/// replaced by a file.
/// @param action  "read" or "write"
void check_regular(const char* action, const std::string& path);

class OpenFile {
 public:
  /// @param descriptor  owned from now on
  /// @param shown       the name of the file in messages
  OpenFile(int descriptor, std::string shown);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile();

  /// Opens a file that exists.
  /// @param flags  O_RDONLY, O_WRONLY or O_RDWR
  static OpenFile existing(const std::string& path, int flags, const std::string& shown);

  /// The same, but nothing if there is no such file.
  static std::optional<OpenFile> if_any(const std::string& path, int flags,
                                        const std::string& shown);

  /// The same open file, so that its lock lasts until both are closed. Only to be destroyed; it is
  /// nothing if the process may open no more files.
  OpenFile again() const;

  int descriptor() const { return descriptor_; }
  const std::string& shown() const { return shown_; }
  std::int64_t size() const;

  /// Writes all bytes. An error names those that could not be written.
  void write_at(std::int64_t offset, const void* data, std::size_t bytes);
  /// Reads bytes; those beyond the end of the file are zero.
  void read_at(std::int64_t offset, void* data, std::size_t bytes) const;
  void resize(std::int64_t bytes);
  /// Asks the system to begin moving bytes to the disk. Does not wait; errors come later.
  void begin_moving_to_disk(std::int64_t offset, std::int64_t bytes);
  /// Waits until bytes are on the disk (their place there may be lost at a power failure, unlike
  /// after `close_durably`), and lets the system forget its copy of them.
  void finish_moving_to_disk(std::int64_t offset, std::int64_t bytes);
  /// Replaces the content by that of another file. Shares its blocks if the file system can.
  void copy_from(const OpenFile& other);

  /// Waits until everything is on the disk, then closes the file. A signal is no failure.
  void close_durably();

 private:
  bool copied_by_the_system(const OpenFile& other, std::int64_t bytes);
  [[noreturn]] void fail_to_write(std::int64_t offset, std::int64_t bytes) const;

  int descriptor_;
  std::string shown_;
};

/// The disk works while the next bytes are made and copied, the end waits for few of them, and a
/// large file neither fills the memory of the machine nor pushes out of it what others need.
class WriteBehind {
 public:
  /// @param file        outlives this object
  /// @param part_bytes  the disk gets so many at once, and has at most four parts to write; large
  ///                    enough for any disk
  explicit WriteBehind(OpenFile& file, std::int64_t part_bytes = std::int64_t{8} << 20)
      : file_(file), part_bytes_(part_bytes) {}

  /// Bytes that were written. Waits if too many are on their way.
  /// @throws Error io_failure
  void wrote(std::int64_t offset, std::int64_t bytes);

 private:
  struct Range {
    std::int64_t begin, end;
  };
  using Part = std::vector<Range>;

  OpenFile& file_;
  const std::int64_t part_bytes_;
  Part next_;  ///< written, not on its way to the disk
  std::int64_t next_bytes_ = 0;
  std::deque<Part> on_way_;
};

/// Of this machine, as far as its processes see it; empty if the system does not tell.
std::string host_name();

/// A name in the folder of `target` that tells host and process: "a.h5.host.1234-567890-0.tmp",
/// with the number of the process, its start time and `attempt`.
std::string temporary_name(const std::string& target, int attempt);

/// Removes the temporary files in `folder` whose names begin with `prefix`, of this user and this
/// host, whose process is gone. Files of other users and hosts, those that are being written, and
/// all on file systems without locks stay. Never throws. Cost: one pass over the names in the
/// folder.
void remove_leftovers(const std::string& folder, const std::string& prefix);

/// Whether files that killed writers of the same target have left behind are removed first.
enum class Leftovers : std::uint8_t { remove, keep };

/// Whether a file that has the name of the target when the new one is complete is replaced by it.
enum class IfThere : std::uint8_t { replace, fail };

/// A file under a temporary name in the folder of its target, with the permissions of the file that
/// it replaces; `publish` gives it the target's name. Without `publish` it is removed, and an
/// earlier file of that name is unchanged. While it is written, only its owner may read it if it
/// replaces another file, and a lock keeps it from being removed as a leftover.
class NewFile {
 public:
  /// Follows symbolic links at `path`, also to a file that is not there yet; anything else but a
  /// regular file, and one that may not be written, is an error.
  explicit NewFile(const std::string& path, Leftovers leftovers = Leftovers::remove);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  OpenFile& file() { return file_; }
  const std::string& temporary() const { return temporary_; }

  /// Waits until the file is on the disk, closes and renames it, and waits for the folder. A
  /// complete file that cannot be renamed stays under its temporary name.
  void publish(IfThere if_there = IfThere::replace);

 private:
  int create(Leftovers leftovers);
  void take_permissions();
  void take_name(IfThere if_there);

  std::string target_;
  std::optional<struct stat> replaced_;  ///< the file that had the target's name at the beginning
  std::string temporary_;
  OpenFile file_;
  bool kept_ = false;  ///< the file under the target's name, or a complete one
};

/// A new file that is complete or absent, written through a buffer.
class FileWriter {
 public:
  explicit FileWriter(const std::string& path, Leftovers leftovers = Leftovers::remove)
      : output_(path, leftovers) {}

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// Waits until the bytes are on the disk, then replaces the file at the path.
  void publish();

 private:
  void flush();

  NewFile output_;
  std::vector<std::byte> buffer_;
  std::int64_t flushed_ = 0;  ///< bytes in the file
};

/// The same with all of its text.
void write_file(const std::string& path, std::string_view text);

}  // namespace op2::comm
