// SPDX-License-Identifier: BSD-3-Clause
// The sources for GPUs that tests have left in caches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <jit/cache_directory.hpp>
#include <jit/cache_entry.hpp>
#include <jit/loop_nest.hpp>
#include <jit/target/cuda/cuda_target.hpp>
#include <jit/target/cuda/device_headers.hpp>

namespace op2::test {

/// Each with the files that it includes and its options once: entries of several builds may be
/// there.
struct CachedSources {
  std::map<std::string, std::vector<jit::CacheEntry>> by_way;  ///< without code; by common options

  std::size_t size() const {
    std::size_t all = 0;
    for (const auto& [way, entries] : by_way) all += entries.size();
    return all;
  }
  std::size_t including() const {
    std::size_t all = 0;
    for (const auto& [way, entries] : by_way)
      all += std::ranges::count_if(entries,
                                   [](const auto& each) { return !each.key.includes.empty(); });
    return all;
  }
};

/// The options that all kernels of a program share.
inline std::string way_of(const jit::CacheEntry& entry) {
  return entry.key.options.substr(0, entry.key.options.find("access="));
}

/// All that NVRTC gets, as a short number.
inline std::size_t texts_of(const jit::CacheEntry& entry) {
  std::string all = way_of(entry);
  for (const std::string* text : {&entry.source, &entry.key.source, &entry.key.includes})
    all.append(1, '\0').append(*text);
  return std::hash<std::string>()(all);
}

/// Those of the present generator, as they are in a folder.
inline std::vector<jit::CacheEntry> entries_for_gpus(const std::string& folder) {
  using namespace jit;
  std::vector<CacheEntry> found;
  const auto opened = CacheDirectory::open(folder, Trust::any);
  if (!opened.directory) return found;
  for (const CacheFile& file : opened.directory->files()) {
    if (file.kind != CacheFileKind::entry) continue;
    ParsedEntry parsed = parse_entry(opened.directory->read(file.name, false).bytes);
    CacheEntry& entry = parsed.entry;
    if (parsed.state != EntryState::good || entry.key.target != cuda_target_name ||
        entry.key.features != features_of_headers())
      continue;
    entry.object = {};
    entry.assembly = entry.ir = {};
    found.push_back(std::move(entry));
  }
  return found;
}

/// @param folders  with ':' between them
inline CachedSources cached_sources(const std::string& folders) {
  CachedSources sources;
  std::set<std::size_t> known;
  std::stringstream list(folders);
  for (std::string folder; std::getline(list, folder, ':');)
    for (jit::CacheEntry& entry : entries_for_gpus(folder))
      if (known.insert(texts_of(entry)).second)
        sources.by_way[way_of(entry)].push_back(std::move(entry));
  return sources;
}

/// Keeps the latest, and of those that include files as many again.
inline void keep_latest(CachedSources& sources, std::size_t most) {
  const std::size_t each = most / std::max<std::size_t>(sources.by_way.size(), 1);
  for (auto& [way, entries] : sources.by_way) {
    std::ranges::sort(entries, {}, [](const auto& entry) { return -entry.created; });
    std::size_t plain = 0, including = 0;
    std::erase_if(entries, [&](const jit::CacheEntry& entry) {
      return (entry.key.includes.empty() ? plain : including)++ >= each;
    });
  }
}

/// Of all entries; what is above its limit loses the oldest, down to seven eighths (DiskCache).
inline std::int64_t bytes_of_folder(const std::string& folder) {
  auto opened = jit::CacheDirectory::open(folder, jit::Trust::any);
  return opened.directory ? bytes_of(opened.directory->files()) : 0;
}

}  // namespace op2::test
