// SPDX-License-Identifier: BSD-3-Clause
// A file that is either complete or absent. Local.
#pragma once

#include <cstdint>
#include <string>

#include <comm/files/open_file.hpp>

namespace op2::comm {

/// Whether files that killed writers of the same target have left behind are removed first.
enum class Leftovers : std::uint8_t { remove, keep };

/// A file under a temporary name in the folder of its target, with the permissions of the file that
/// it replaces; `publish` gives it the target's name. Without `publish` it is removed, and an
/// earlier file of that name is unchanged.
///
/// All members throw op2::Error io_failure, which names the file, the reason and what to do.
class NewFile {
 public:
  /// Follows a symbolic link at `path`; anything else but a regular file is an error.
  explicit NewFile(const std::string& path, Leftovers leftovers = Leftovers::remove);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  OpenFile& file() { return file_; }
  const std::string& temporary() const { return temporary_; }

  /// Waits until the file is on the disk, closes and renames it, and waits for the folder.
  void publish();

 private:
  int create();

  std::string target_;
  std::string temporary_;
  OpenFile file_;
  bool published_ = false;
};

}  // namespace op2::comm
