// SPDX-License-Identifier: BSD-3-Clause
// Files that appear complete or not at all.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace op2::comm {

/// Where a file of this path will lie: follows a symbolic link. Local.
/// @throws op2::Error io_failure if something else than a regular file is there
std::string regular_target(const std::string& path);

/// A name beside `target` for what is not complete yet.
std::string temporary_beside(const std::string& target);

/// Waits until the file `temporary` is on the disk, then gives it the name `target`. Local.
/// @throws op2::Error io_failure
void publish_file(const std::string& temporary, const std::string& target);

/// Throws io_failure with the file, the reason that errno has, and what to do.
/// @param action  "create", "read", ... for "cannot create 'path'"
[[noreturn]] void fail_with_errno(const char* action, const std::string& path);

/// Collects a file under a temporary name beside its path; `publish` gives it its name. Without
/// `publish` nothing remains, and a file that was there before stays as it was. Local.
///
/// All members throw op2::Error io_failure, which names the file, the reason and what to do.
class FileWriter {
 public:
  /// Follows a symbolic link at `path`; refuses anything else that is not a regular file.
  explicit FileWriter(const std::string& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// Waits until the bytes are on the disk, then replaces what is at the path.
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
