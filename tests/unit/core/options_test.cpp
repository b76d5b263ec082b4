// SPDX-License-Identifier: BSD-3-Clause
#include <core/options.hpp>

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <support/expect_error.hpp>

namespace op2::core {
namespace {

using Variables = std::map<std::string, std::string>;

Options read(const Variables& variables) {
  return read_options([&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(Options, AnEmptyEnvironmentGivesTheDefaults) {
  const Options o = read({});
  EXPECT_EQ(o.target, Target::cpu);
  EXPECT_EQ(o.jit, JitMode::on);
  EXPECT_EQ(o.queue_max, 64);
  EXPECT_EQ(o.cache_max_bytes, std::int64_t{1} << 30);
  EXPECT_TRUE(o.eliminate_dead_loops);
}

TEST(Options, EverySwitchIsRead) {
  const Options o = read({{"OP2_TARGET", "reference"},
                          {"OP2_THREADS", "3"},
                          {"OP2_JIT", "require"},
                          {"OP2_JIT_CPU", "x86-64-v3"},
                          {"OP2_PLUGIN_DIR", "/p"},
                          {"OP2_CACHE", "ro"},
                          {"OP2_CACHE_DIR", "/c"},
                          {"OP2_CACHE_MAX_MB", "2"},
                          {"OP2_QUEUE_MAX", "5"},
                          {"OP2_LOG", "debug"},
                          {"OP2_DUMP", "chain,source"},
                          {"OP2_TRACE", "t.json"},
                          {"OP2_TIMING", "t.csv"},
                          {"OP2_CHECK", "pointers"},
                          {"OP2_DISABLE", "dead"},
                          {"OP2_SIMD", "on"}});
  EXPECT_EQ(o.target, Target::reference);
  EXPECT_EQ(o.threads, 3);
  EXPECT_EQ(o.jit, JitMode::require);
  EXPECT_EQ(o.jit_cpu, "x86-64-v3");
  EXPECT_EQ(o.plugin_dir, "/p");
  EXPECT_EQ(o.cache, CacheMode::read_only);
  EXPECT_EQ(o.cache_dir, "/c");
  EXPECT_EQ(o.cache_max_bytes, std::int64_t{2} << 20);
  EXPECT_EQ(o.queue_max, 5);
  EXPECT_EQ(o.log, "debug");
  EXPECT_TRUE(o.dump.chain && o.dump.source && !o.dump.schedule);
  EXPECT_EQ(o.trace, "t.json");
  EXPECT_EQ(o.timing, "t.csv");
  EXPECT_FALSE(o.queue_loops);
  EXPECT_FALSE(o.eliminate_dead_loops);
  EXPECT_EQ(o.simd, SimdMode::wherever_possible);
  EXPECT_EQ(read({{"OP2_RENUMBER", "on"}}).renumber, RenumberMode::on);
}

TEST(Options, TheReferenceNeitherReordersNorTiles) {
  const Options o = read({{"OP2_TARGET", "reference"}, {"OP2_RENUMBER", "on"}, {"OP2_TILE", "9"}});
  EXPECT_EQ(o.renumber, RenumberMode::off);
  EXPECT_EQ(o.tile.mode, TileMode::off);
}

TEST(Options, TilesAreSizedByTheModelOrByANumber) {
  EXPECT_EQ(read({}).tile.mode, TileMode::modelled);
  EXPECT_EQ(read({{"OP2_TILE", "measured"}}).tile.mode, TileMode::measured);
  EXPECT_EQ(read({{"OP2_TILE", "off"}}).tile.mode, TileMode::off);
  EXPECT_EQ(read({{"OP2_TILE", "4000"}}).tile.rows, 4000);
  EXPECT_EQ(read({{"OP2_TILE", "4000"}, {"OP2_DISABLE", "simd, tile"}}).tile.mode, TileMode::off);
  for (const char* wrong : {"0", "-3", "4k", "yes", "99999999999"})
    EXPECT_THAT(test::error_text(ErrorCode::bad_option, [&] { read({{"OP2_TILE", wrong}}); }),
                testing::HasSubstr(std::string("OP2_TILE=") + wrong));
}

TEST(Options, TheHostIsTheDefaultCpu) {
  EXPECT_EQ(read({{"OP2_JIT_CPU", "host"}}).jit_cpu, "");
}

TEST(Options, AValueThatIsNoNumberNamesTheVariable) {
  const std::string text =
      test::error_text(ErrorCode::bad_option, [] { read({{"OP2_THREADS", "4 "}}); });
  EXPECT_THAT(text, testing::HasSubstr("OP2_THREADS=4 "));
}

TEST(Options, VariablesThatAreNoSwitchesAreFound) {
  char known[] = "OP2_THREADS=1", misspelled[] = "OP2_THREAD=1", other[] = "PATH=/bin";
  char* environment[] = {known, misspelled, other, nullptr};
  EXPECT_THAT(unknown_switches(environment), testing::ElementsAre("OP2_THREAD"));
}

}  // namespace
}  // namespace op2::core
