// SPDX-License-Identifier: BSD-3-Clause
// What the tests on the emulated device have generated, and left in their caches, is accepted by
// NVIDIA's compiler without warnings. TEST_CACHES: the folders, with ':' between them. TEST_TEXTS:
// how many of the latest sources are compiled, as many for each set of options; 0: all.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jit/cache_directory.hpp>
#include <jit/cache_format.hpp>
#include <jit/loop_key.hpp>
#include <jit/target/cuda/device_headers.hpp>
#include <nvrtc/cached_nest.hpp>
#include <nvrtc/nvrtc_of_tests.hpp>

namespace op2::jit {
namespace {

struct CachedSources {
  std::map<std::string, std::vector<CacheEntry>> by_way;  ///< the latest first

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
std::string way_of(const CacheEntry& entry) {
  return entry.key.options.substr(0, entry.key.options.find("access="));
}

/// Adds those of one generator: entries of earlier builds may be there too.
void add_sources(CachedSources& sources, const std::string& folder) {
  auto opened = CacheDirectory::open(folder, Trust::any);
  if (!opened.directory) return;
  for (const CacheFile& file : opened.directory->files()) {
    if (file.kind != CacheFileKind::entry) continue;
    ParsedEntry parsed = parse_entry(opened.directory->read(file.name, false).bytes);
    const CacheEntry& entry = parsed.entry;
    if (parsed.state == EntryState::good && entry.key.target == cuda_target_name &&
        entry.key.features == features_of_headers())
      sources.by_way[way_of(entry)].push_back(std::move(parsed.entry));
  }
}

CachedSources cached_sources() {
  CachedSources sources;
  const char* folders = std::getenv("TEST_CACHES");
  std::stringstream list(folders != nullptr ? folders : "");
  for (std::string folder; std::getline(list, folder, ':');) add_sources(sources, folder);
  for (auto& [way, entries] : sources.by_way)
    std::ranges::sort(entries, {}, [](const CacheEntry& entry) { return -entry.created; });
  return sources;
}

/// Keeps the latest, and of those that include files as many again.
void keep(CachedSources& sources, std::size_t most) {
  const std::size_t each = most / std::max<std::size_t>(sources.by_way.size(), 1);
  for (auto& [way, entries] : sources.by_way) {
    std::size_t plain = 0, including = 0;
    std::erase_if(entries, [&](const CacheEntry& entry) {
      return (entry.key.includes.empty() ? plain : including)++ >= each;
    });
  }
}

struct CachedTexts : test::WithNvrtc {
  /// As the library compiles it, for one architecture.
  CompileResult compile(const CacheEntry& entry, int architecture) const {
    const auto has = [&](const char* option) {
      return (" " + entry.key.options).find(option) != std::string::npos;
    };
    CudaTarget target(nullptr, nvrtc,
                      {.architecture = {architecture},
                       .contract = has(" --fmad=true "),
                       .reproducible = has(" reproducible ")});
    EmittedLoop loop{{entry.source}, entry.symbol, {}};
    return target.compile({test::kernels_of(entry.key), {}}, loop);
  }
};

TEST_F(CachedTexts, CompileWithoutWarnings) {
  CachedSources sources = cached_sources();
  ASSERT_GT(sources.size(), 0)
      << "TEST_CACHES has no source for GPUs: run the tests equivalence_cuda_* first";
  const std::size_t found = sources.size();
  const char* given = std::getenv("TEST_TEXTS");
  const int most = given != nullptr ? std::atoi(given) : 150;
  if (most > 0) keep(sources, static_cast<std::size_t>(most));
  for (const auto& [way, entries] : sources.by_way) {
    for (const CacheEntry& entry : entries)
      for (const int architecture : {80, 90}) {
        const CompileResult result = compile(entry, architecture);
        EXPECT_EQ(result.status, CompileStatus::ok)
            << entry.key.kernel << ": " << result.message << entry.source;
        for (const Diagnostic& message : result.diagnostics)
          ADD_FAILURE() << entry.key.kernel << ", line " << message.line << " of " << message.file
                        << ": " << message.text;
      }
    std::cout << entries.size() << " sources with options '" << way << "' were compiled\n";
  }
  std::cout << sources.size() << " of " << found
            << " sources were compiled, for two architectures; " << sources.including()
            << " of them include files\n";
}

/// In a key are all texts that a compiler needs.
TEST(CachedNest, HasTheSourcesAndFilesOfItsKernels) {
  LoopNest alone = nest_of({.name = "work",
                            .source = "#include \"a b.h\"\n",
                            .includes = {{"a b.h", "line 1\n2\n"}, {"sub/c.h", ""}}},
                           {});
  LoopNest fused{{alone.calls[0], {.name = "plain", .source = "\n"}, alone.calls[0]}, {}};
  fused.calls[2].includes.pop_back();
  for (const LoopNest& nest : {alone, fused}) {
    KeyFields key;
    add_nest(key, nest);
    const LoopNest found = test::kernels_of(key);
    ASSERT_EQ(found.calls.size(), nest.calls.size());
    for (std::size_t n = 0; n < nest.calls.size(); ++n) {
      EXPECT_EQ(found.calls[n].name, nest.calls[n].name);
      EXPECT_EQ(found.calls[n].source, nest.calls[n].source);
      EXPECT_EQ(found.calls[n].includes, nest.calls[n].includes);
    }
  }
}

}  // namespace
}  // namespace op2::jit
