// SPDX-License-Identifier: BSD-3-Clause
// Disk space that is asked for before it is needed: libraries that write files do not all survive a
// disk that turns out to be full. Local.
#pragma once

#include <cstdint>
#include <string>

namespace op2::comm {

/// Sets aside `bytes` bytes from `offset` on for a file, whose size stays as it is. Where the file
/// system cannot do that, at least so much must be free now.
/// @param shown  the name of the file in messages
/// @throws Error io_failure: the disk is full, or files may not be so large
void reserve_space(const std::string& path, const std::string& shown, std::int64_t offset,
                   std::int64_t bytes);

/// Gives back what was set aside behind the end of a file. Never throws.
void release_space(const std::string& path);

}  // namespace op2::comm
