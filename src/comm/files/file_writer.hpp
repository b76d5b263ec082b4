// SPDX-License-Identifier: BSD-3-Clause
// New files that are either complete or absent, and what killed writers leave behind. Local.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <comm/files/open_file.hpp>

namespace op2::comm {

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
///
/// All members throw op2::Error io_failure, which names the file, the reason and what to do.
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

/// A new file that is complete or absent. All members throw op2::Error io_failure,
/// which names the file, the reason and what to do.
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

}  // namespace op2::comm
