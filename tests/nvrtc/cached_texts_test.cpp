// SPDX-License-Identifier: BSD-3-Clause
// What the tests on the emulated device have generated, and left in their cache, is accepted by
// NVIDIA's compiler.
#include <algorithm>
#include <iostream>

#include <gmock/gmock.h>

#include <jit/cache_directory.hpp>
#include <jit/cache_format.hpp>
#include <jit/target/cuda/device_headers.hpp>
#include <nvrtc/nvrtc_of_tests.hpp>

namespace op2::jit {
namespace {

/// Sources of one generator only: entries of earlier builds may be there too.
std::vector<CacheEntry> cached_entries() {
  const char* folder = std::getenv("OP2_CACHE_DIR");
  auto opened = CacheDirectory::open(folder != nullptr ? folder : "", Trust::any);
  std::vector<CacheEntry> entries;
  if (!opened.directory) return entries;
  for (const CacheFile& file : opened.directory->files()) {
    if (file.kind != CacheFileKind::entry) continue;
    ParsedEntry parsed = parse_entry(opened.directory->read(file.name, false).bytes);
    const CacheEntry& entry = parsed.entry;
    if (parsed.state == EntryState::good && entry.key.target == cuda_target_name &&
        entry.key.features == features_of_headers() && entry.key.includes.empty())
      entries.push_back(std::move(parsed.entry));
  }
  std::ranges::sort(entries, {}, [](const CacheEntry& entry) { return -entry.created; });
  return entries;
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
  std::vector<CacheEntry> entries = cached_entries();
  if (entries.empty()) GTEST_SKIP() << "SKIPPED: no test has run on the emulated device";
  const char* most = std::getenv("TEST_TEXTS");
  entries.resize(std::min<std::size_t>(entries.size(), most != nullptr ? std::atoi(most) : 150));
  for (const CacheEntry& entry : entries)
    for (const char* architecture : {"--gpu-architecture=sm_80", "--gpu-architecture=sm_90"}) {
      const gpu::Compiled compiled = compile(entry.source, architecture);
      EXPECT_TRUE(compiled.ok) << entry.key.kernel << ": " << compiled.log << entry.source;
    }
  std::cout << entries.size() << " sources were compiled\n";
}

}  // namespace
}  // namespace op2::jit
