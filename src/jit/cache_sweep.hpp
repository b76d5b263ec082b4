// SPDX-License-Identifier: BSD-3-Clause
// Selects the files of a cache directory to remove. Removes nothing itself.
#pragma once

#include <cstdint>
#include <vector>

#include <jit/cache_directory.hpp>

namespace op2::jit {

/// Temporary files that were not written to for an hour: their writer has died.
/// @param now  seconds since 1970
std::vector<CacheFile> abandoned(const std::vector<CacheFile>& files, std::int64_t now);

/// Entries and bad entries to remove, least recently used first, until the others have at most
/// `max_bytes` bytes.
std::vector<CacheFile> least_recently_used(const std::vector<CacheFile>& files,
                                           std::int64_t max_bytes);

/// Bytes of all entries and bad entries.
std::int64_t bytes_of(const std::vector<CacheFile>& files);

}  // namespace op2::jit
