// SPDX-License-Identifier: BSD-3-Clause
// A file that is either complete or absent. Local.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>

#include <comm/files/open_file.hpp>

namespace op2::comm {

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

}  // namespace op2::comm
