// SPDX-License-Identifier: BSD-3-Clause
// Writes files from their beginning to their end, through a buffer. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <comm/files/new_file.hpp>

namespace op2::comm {

/// A new file that is complete or absent (new_file.hpp). All members throw op2::Error io_failure,
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
