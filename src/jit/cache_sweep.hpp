// SPDX-License-Identifier: BSD-3-Clause
// Which files of a cache directory should go. Decides, removes nothing.
#pragma once

#include <cstdint>
#include <vector>

#include <jit/cache_directory.hpp>

namespace op2::jit {

/// Temporary files that nobody has written to for an hour: their writer has died.
/// @param now  seconds since 1970
std::vector<CacheFile> abandoned(const std::vector<CacheFile>& files, std::int64_t now);

/// Entries and bad entries, least recently used first, without which the others have at most
/// `max_bytes` bytes.
std::vector<CacheFile> least_recently_used(const std::vector<CacheFile>& files,
                                           std::int64_t max_bytes);

/// Bytes of all entries and bad entries.
std::int64_t bytes_of(const std::vector<CacheFile>& files);

}  // namespace op2::jit
