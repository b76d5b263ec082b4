// SPDX-License-Identifier: BSD-3-Clause
// What the tests on the emulated device have generated, and left in their cache, is accepted by
// NVIDIA's compiler. TEST_TEXTS: how many of the latest sources are compiled, as many for each set
// of options; 0: all.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jit/cache_directory.hpp>
#include <jit/cache_format.hpp>
#include <jit/target/cuda/device_headers.hpp>
#include <nvrtc/nvrtc_of_tests.hpp>

namespace op2::jit {
namespace {

struct CachedSources {
  std::map<std::string, std::vector<CacheEntry>> by_way;  ///< the latest first
  std::size_t including = 0;  ///< further ones, whose files the cache does not keep by their names

  std::size_t size() const {
    std::size_t all = 0;
    for (const auto& [way, entries] : by_way) all += entries.size();
    return all;
  }
};

/// The options that all kernels of a program share.
std::string way_of(const CacheEntry& entry) {
  return entry.key.options.substr(0, entry.key.options.find("access="));
}

/// Of one generator only: entries of earlier builds may be there too.
CachedSources cached_sources() {
  const char* folder = std::getenv("OP2_CACHE_DIR");
  auto opened = CacheDirectory::open(folder != nullptr ? folder : "", Trust::any);
  CachedSources sources;
  if (!opened.directory) return sources;
  for (const CacheFile& file : opened.directory->files()) {
    if (file.kind != CacheFileKind::entry) continue;
    ParsedEntry parsed = parse_entry(opened.directory->read(file.name, false).bytes);
    const CacheEntry& entry = parsed.entry;
    if (parsed.state != EntryState::good || entry.key.target != cuda_target_name ||
        entry.key.features != features_of_headers())
      continue;
    if (entry.key.includes.empty())
      sources.by_way[way_of(entry)].push_back(std::move(parsed.entry));
    else
      ++sources.including;
  }
  for (auto& [way, entries] : sources.by_way)
    std::ranges::sort(entries, {}, [](const CacheEntry& entry) { return -entry.created; });
  return sources;
}

/// Keeps the latest.
void keep(CachedSources& sources, std::size_t most) {
  const std::size_t each = most / std::max<std::size_t>(sources.by_way.size(), 1);
  for (auto& [way, entries] : sources.by_way) entries.resize(std::min(entries.size(), each));
}

struct CachedTexts : test::WithNvrtc {
  gpu::Compiled compile(const std::string& source, const char* architecture) const {
    std::vector<gpu::SourceHeader> headers;
    for (const IncludedFile& header : device_headers())
      headers.push_back({header.name, header.text});
    return nvrtc->compile(source, "op2_loop.cu", headers,
                          {"--std=c++20", architecture, "-default-device"});
  }
};

TEST_F(CachedTexts, Compile) {
  CachedSources sources = cached_sources();
  ASSERT_GT(sources.size(), 0)
      << "OP2_CACHE_DIR has no source for GPUs: run the tests equivalence_cuda_* first";
  const std::size_t found = sources.size();
  const char* given = std::getenv("TEST_TEXTS");
  const int most = given != nullptr ? std::atoi(given) : 150;
  if (most > 0) keep(sources, static_cast<std::size_t>(most));
  for (const auto& [way, entries] : sources.by_way) {
    for (const CacheEntry& entry : entries)
      for (const char* architecture : {"--gpu-architecture=sm_80", "--gpu-architecture=sm_90"}) {
        const gpu::Compiled compiled = compile(entry.source, architecture);
        EXPECT_TRUE(compiled.ok) << entry.key.kernel << ": " << compiled.log << entry.source;
      }
    std::cout << entries.size() << " sources with options '" << way << "' were compiled\n";
  }
  std::cout << sources.size() << " of " << found
            << " sources were compiled, for two architectures; " << sources.including
            << " that include files were not\n";
}

}  // namespace
}  // namespace op2::jit
