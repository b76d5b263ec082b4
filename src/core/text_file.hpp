// SPDX-License-Identifier: BSD-3-Clause
// Opens and reads regular files.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace op2::core {

/// Opens a file without waiting for another process, as a FIFO would. A regular file on which
/// another process has a lease is waited for: the system takes the lease away after a time limit.
/// @param flags  O_RDONLY, O_WRONLY or O_RDWR
/// @return       a descriptor; negative with the reason in errno
int open_at_once(const char* path, int flags);

/// The content of a file; nothing if it cannot be read (`why_unreadable` has the reason) or is not
/// a regular file: reading a FIFO or a device might wait for ever.
/// @param most_bytes  nothing also of longer files; then errno is EFBIG
std::optional<std::string> read_file(const char* path, std::size_t most_bytes = std::string::npos);

/// Why `read_file` has just failed, as text; to be called before errno changes.
std::string why_unreadable(const char* path);

/// What is at a path, if anything but a regular file: "a folder", "a FIFO", "a device", "a socket".
/// Null for regular files and if nothing is there.
const char* kind_if_irregular(const char* path);

}  // namespace op2::core
