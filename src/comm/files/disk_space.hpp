// SPDX-License-Identifier: BSD-3-Clause
// Reserves disk space before it is needed, since some libraries do not survive a full disk. Local.
#pragma once

#include <cstdint>
#include <string>

namespace op2::comm {

/// Reserves `bytes` bytes from `offset` on for a file, without changing its size. If the file
/// system cannot reserve space, checks that so much is free now.
/// @param shown  the name of the file in messages
/// @throws Error io_failure: the disk is full, or files may not be so large
void reserve_space(const std::string& path, const std::string& shown, std::int64_t offset,
                   std::int64_t bytes);

/// Releases the space reserved beyond the end of a file. Never throws.
void release_space(const std::string& path);

}  // namespace op2::comm
