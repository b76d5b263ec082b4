// SPDX-License-Identifier: BSD-3-Clause
// What the tests on the emulated device have generated, and left in their caches, is accepted by
// NVIDIA's compiler without warnings. TEST_CACHES: the folders, with ':' between them. TEST_TEXTS:
// how many of the latest sources are compiled, as many for each set of options; 0: all.
// TEST_SOURCES: how many there must be at least. TEST_COMPLETE: a folder from which nothing may
// have been removed because it was full (OP2_CACHE_MAX_MB). TEST_PART=2/3: the second third of all.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include <gmock/gmock.h>

#include <jit/cache_entry.hpp>
#include <jit/loop_nest.hpp>
#include <nvrtc/cached_nest.hpp>
#include <nvrtc/cached_sources.hpp>
#include <nvrtc/nvrtc_of_tests.hpp>
#include <support/loop_shapes.hpp>

namespace op2::jit {
namespace {

struct CachedTexts : test::WithNvrtc {
  /// As the library compiles it, for one architecture.
  CompileResult compile(const CacheEntry& entry, int architecture) const {
    const auto has = [&](const char* option) {
      return (" " + entry.key.options).find(option) != std::string::npos;
    };
    CudaTarget target(nullptr, nvrtc, {architecture},
                      {.contract = has(" --fmad=true "), .reproducible = has(" reproducible ")});
    EmittedLoop loop{{entry.source}, entry.symbol, {}};
    return target.compile({test::kernels_of(entry.key), {}}, loop);
  }

  void expect_no_message(const CacheEntry& entry) const;
};

std::string variable(const char* name, const char* otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr ? given : otherwise;
}

/// That it has all sources that tests have ever put there.
void expect_complete(const std::string& folder) {
  const std::int64_t limit = std::stoll(variable("OP2_CACHE_MAX_MB", "1024")) << 20;
  EXPECT_LT(test::bytes_of_folder(folder), limit - limit / 8)
      << folder << " has been full, so sources may have been removed; remove it, or set a higher "
      << "OP2_CACHE_MAX_MB in tests/cuda";
}

/// Compiles it for two architectures.
void CachedTexts::expect_no_message(const CacheEntry& entry) const {
  for (const int architecture : {80, 90}) {
    const CompileResult result = compile(entry, architecture);
    EXPECT_EQ(result.status, CompileStatus::ok)
        << entry.key.kernel << ": " << result.message << entry.source;
    for (const Diagnostic& message : result.diagnostics)
      ADD_FAILURE() << entry.key.kernel << ", line " << message.line << " of " << message.file
                    << ": " << message.text;
  }
}

TEST_F(CachedTexts, CompileWithoutWarnings) {
  const std::string folders = variable("TEST_CACHES", "");
  const std::string complete = variable("TEST_COMPLETE", "");
  if (!complete.empty()) expect_complete(complete);
  test::CachedSources sources = test::cached_sources(folders);
  const std::size_t found = sources.size();
  ASSERT_GE(complete.empty() ? found : test::cached_sources(complete).size(),
            std::stoul(variable("TEST_SOURCES", "1")))
      << (complete.empty() ? folders : complete)
      << " has too few sources for GPUs: run the tests of tests/cuda first";
  if (const std::size_t most = std::stoul(variable("TEST_TEXTS", "150")); most > 0)
    keep_latest(sources, most);
  for (const auto& [way, entries] : sources.by_way) {
    for (const CacheEntry& entry : entries) expect_no_message(entry);
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
