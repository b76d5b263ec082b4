// SPDX-License-Identifier: BSD-3-Clause
#include <jit/cache_sweep.hpp>

#include <algorithm>

namespace op2::jit {

namespace {

constexpr std::int64_t hour = 60 * 60;

bool counts(const CacheFile& file) {
  return file.kind == CacheFileKind::entry || file.kind == CacheFileKind::bad;
}

}  // namespace

std::vector<CacheFile> abandoned(const std::vector<CacheFile>& files, std::int64_t now) {
  std::vector<CacheFile> result;
  std::ranges::copy_if(files, std::back_inserter(result), [now](const CacheFile& file) {
    return file.kind == CacheFileKind::temporary && now - file.used > hour;
  });
  return result;
}

std::vector<CacheFile> least_recently_used(const std::vector<CacheFile>& files,
                                           std::int64_t max_bytes) {
  std::vector<CacheFile> result;
  std::ranges::copy_if(files, std::back_inserter(result), counts);
  std::ranges::stable_sort(result, {}, &CacheFile::used);
  std::int64_t left = bytes_of(files);
  const auto end = std::ranges::find_if(result, [&](const CacheFile& file) {
    if (left <= max_bytes) return true;
    left -= file.bytes;
    return false;
  });
  result.erase(end, result.end());
  return result;
}

std::int64_t bytes_of(const std::vector<CacheFile>& files) {
  std::int64_t sum = 0;
  for (const CacheFile& file : files) sum += counts(file) ? file.bytes : 0;
  return sum;
}

}  // namespace op2::jit
