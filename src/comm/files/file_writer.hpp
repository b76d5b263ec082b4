// SPDX-License-Identifier: BSD-3-Clause
// Writes files that are either complete or absent.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace op2::comm {

/// The path that a file will really have: follows a symbolic link. Local.
/// @throws op2::Error io_failure if anything but a regular file is there
std::string regular_target(const std::string& path);

/// A name in the folder of `target` for the incomplete file.
std::string temporary_beside(const std::string& target);

/// Waits until the file `temporary` is on the disk, then gives it the name `target`. Local.
/// @throws op2::Error io_failure
void publish_file(const std::string& temporary, const std::string& target);

/// Throws io_failure with the file, the reason in errno, and what to do.
/// @param action  "create", "read", ... for "cannot create 'path'"
[[noreturn]] void fail_with_errno(const char* action, const std::string& path);

/// Writes a file under a temporary name in the same folder; `publish` renames it. Without `publish`
/// it is removed, and an earlier file of that name is unchanged. Local.
///
/// All members throw op2::Error io_failure, which names the file, the reason and what to do.
class FileWriter {
 public:
  /// Follows a symbolic link at `path`; anything else but a regular file is an error.
  explicit FileWriter(const std::string& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// Waits until the bytes are on the disk, then replaces the file at the path.
  void publish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::string temporary_;  ///< empty once published
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace op2::comm
