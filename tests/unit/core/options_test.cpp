// SPDX-License-Identifier: BSD-3-Clause
#include <core/options.hpp>

#include <map>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <support/expect_error.hpp>

namespace op2::core {
namespace {

using testing::AllOf, testing::AnyOf, testing::HasSubstr, testing::Not;

using Variables = std::map<std::string, std::string>;

Options read(const Variables& variables) {
  return read_options([&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string refusal(const Variables& variables) {
  return test::error_text(ErrorCode::bad_option, [&] { read(variables); });
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
                          {"OP2_MPI", "off"},
                          {"OP2_JIT", "require"},
                          {"OP2_JIT_CPU", "x86-64-v3"},
                          {"OP2_PLUGIN_DIR", "/p"},
                          {"OP2_CACHE", "ro"},
                          {"OP2_CACHE_DIR", "/c"},
                          {"OP2_CACHE_MAX_MB", "2"},
                          {"OP2_ASYNC_IO", "3"},
                          {"OP2_LOG", "debug"},
                          {"OP2_DUMP", "analyse,source"},
                          {"OP2_TRACE", "t.json"},
                          {"OP2_TIMING", "t.csv"},
                          {"OP2_CHECK", "pointers"},
                          {"OP2_DEBUG", "keep_dead,queue_max=5"},
                          {"OP2_SIMD", "on"}});
  EXPECT_EQ(o.target, Target::reference);
  EXPECT_EQ(o.threads, 3);
  EXPECT_EQ(o.mpi, MpiMode::off);
  EXPECT_EQ(o.jit, JitMode::require);
  EXPECT_EQ(o.jit_cpu, "x86-64-v3");
  EXPECT_EQ(o.plugin_dir, "/p");
  EXPECT_EQ(o.cache, CacheMode::read_only);
  EXPECT_EQ(o.cache_dir, "/c");
  EXPECT_EQ(o.cache_max_bytes, std::int64_t{2} << 20);
  EXPECT_EQ(o.queue_max, 5);
  EXPECT_EQ(o.async_io_bytes, std::int64_t{3} << 20);
  EXPECT_EQ(o.log, "debug");
  EXPECT_EQ(o.dump, (Dump{"analyse", "slice", "source"}));
  EXPECT_EQ(o.trace, "t.json");
  EXPECT_EQ(o.timing, "t.csv");
  EXPECT_FALSE(o.queue_loops);
  EXPECT_FALSE(o.eliminate_dead_loops);
  EXPECT_EQ(o.simd, SimdMode::wherever_possible);
  EXPECT_EQ(read({{"OP2_DUMP", "chain"}}).dump, (Dump{"analyse", "slice"}));
  EXPECT_EQ(read({{"OP2_RENUMBER", "on"}}).renumber, RenumberMode::on);
}

TEST(Options, TheReferenceNeitherReordersNorTiles) {
  const Options o = read({{"OP2_TARGET", "reference"}, {"OP2_RENUMBER", "on"}, {"OP2_TILE", "9"}});
  EXPECT_EQ(o.renumber, RenumberMode::off);
  EXPECT_EQ(o.tile.mode, TileMode::off);
}

TEST(Options, ReproducibleLoopsAreCompiledWithoutContraction) {
  const Options o = read({{"OP2_REPRODUCIBLE", "on"}});
  EXPECT_TRUE(o.reproducible);
  EXPECT_FALSE(o.contracts());
  EXPECT_EQ(o.jit, JitMode::require);
  EXPECT_EQ(o.renumber, RenumberMode::canonical);
  EXPECT_EQ(read({{"OP2_REPRODUCIBLE", "on"}, {"OP2_RENUMBER", "on"}}).renumber, RenumberMode::on);
  EXPECT_FALSE(read({}).reproducible);
}

TEST(Options, TheReproducibleReferenceIsCompiledScalarCodeOnOneThread) {
  const Options o =
      read({{"OP2_REPRODUCIBLE", "on"}, {"OP2_TARGET", "reference"}, {"OP2_CHAIN", "on"}});
  EXPECT_EQ(o.target, Target::cpu);
  EXPECT_EQ(o.threads, 1);
  EXPECT_EQ(o.simd, SimdMode::off);
  EXPECT_EQ(o.chain, ChainMode::off);
  EXPECT_EQ(o.tile.mode, TileMode::off);
  EXPECT_FALSE(o.fuse);
}

TEST(Options, WhatIsNotReproducibleIsRefusedWithTheReason) {
  const auto with = [](const char* name, const char* value) {
    return refusal({{"OP2_REPRODUCIBLE", "on"}, {name, value}});
  };
  EXPECT_THAT(with("OP2_VECTOR_MATH", "on"),
              AllOf(HasSubstr("OP2_REPRODUCIBLE=on and OP2_VECTOR_MATH=on"), HasSubstr("round")));
  EXPECT_THAT(with("OP2_JIT", "off"), AllOf(HasSubstr("OP2_JIT=off, since host functions"),
                                            HasSubstr("; unset one of them")));
  EXPECT_THAT(
      refusal({{"OP2_REPRODUCIBLE", "on"}, {"OP2_TARGET", "cuda"}, {"OP2_FP_CONTRACT", "on"}}),
      HasSubstr("OP2_FP_CONTRACT=on and OP2_TARGET=cuda, since compilers for GPUs"));
  EXPECT_FALSE(read({{"OP2_REPRODUCIBLE", "on"}, {"OP2_TARGET", "cuda"}}).contracts());
}

TEST(Options, TilesAreSizedByTheModelOrByANumber) {
  EXPECT_EQ(read({}).tile.mode, TileMode::modelled);
  EXPECT_EQ(read({{"OP2_TILE", "off"}}).tile.mode, TileMode::off);
  EXPECT_EQ(read({{"OP2_TILE", "4000"}}).tile, (Tiling{TileMode::fixed, 4000}));
  EXPECT_EQ(read({{"OP2_TILE", "shuffled"}}).tile.mode, TileMode::shuffled);
  for (const char* wrong : {"0", "-3", "4k", "yes", "measured", "99999999999"})
    EXPECT_THAT(refusal({{"OP2_TILE", wrong}}), HasSubstr(std::string("OP2_TILE=") + wrong));
}

TEST(Options, WordsOfDebugSetWhatTheyName) {
  EXPECT_EQ(read({{"OP2_DEBUG", "exchange=separate"}}).exchange, Grouping::separate);
  EXPECT_FALSE(read({{"OP2_DEBUG", "keep_dead"}}).eliminate_dead_loops);
  const Options o = read({{"OP2_DEBUG", "no_fuse, no_simd"}});
  EXPECT_FALSE(o.fuse);
  EXPECT_EQ(o.simd, SimdMode::off);
}

TEST(Options, AWordThatSwitchesTilesOffWinsOverTheirSize) {
  EXPECT_EQ(read({{"OP2_TILE", "4000"}, {"OP2_DEBUG", "no_simd, no_tile"}}).tile.mode,
            TileMode::off);
}

TEST(Options, AnUnknownWordIsNamedWithTheKnownOnes) {
  EXPECT_THAT(refusal({{"OP2_DEBUG", "no_fuse,fast"}}),
              AllOf(HasSubstr("unknown word: OP2_DEBUG=fast; use"), HasSubstr("queue_max=..."),
                    HasSubstr("keep_dead, no_fuse")));
}

TEST(Options, AWordHasOneValue) {
  EXPECT_THAT(
      refusal({{"OP2_DEBUG", "queue_max=3,queue_max=4"}}),
      HasSubstr(
          "two values for one switch: OP2_DEBUG=queue_max=3 and OP2_DEBUG=queue_max=4; give one "
          "of them"));
  EXPECT_EQ(read({{"OP2_DEBUG", "queue_max=5,queue_max=5"}}).queue_max, 5);
}

TEST(Options, AValueOfAWordIsCheckedWhereItIsGiven) {
  EXPECT_THAT(refusal({{"OP2_DEBUG", "queue_max=0"}}),
              HasSubstr("OP2_DEBUG=queue_max=0; use a number from 1"));
  EXPECT_THAT(refusal({{"OP2_DEBUG", "no_fuse=1"}}),
              HasSubstr("OP2_DEBUG=no_fuse=1; use the word without a value"));
  EXPECT_THAT(refusal({{"OP2_DEBUG", "exchange"}}), HasSubstr("use grouped, separate"));
}

TEST(Options, SwitchesForTestsAreNotInTheHelp) {
  EXPECT_THAT(switches_as_text(), Not(AnyOf(HasSubstr("exchange="), HasSubstr("queue_max="))));
  EXPECT_THAT(switches_as_text(), HasSubstr("OP2_DEBUG"));
  EXPECT_THAT(switches_as_text(), HasSubstr("/usr/share/doc/op2, package op2-doc"));
  EXPECT_THAT(debug_words_as_markdown(), HasSubstr("| `exchange` | grouped, separate |"));
}

TEST(Options, TheHelpFitsATerminal) {
  std::istringstream text(switches_as_text());
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 110U) << line;
  EXPECT_THAT(
      switches_as_text(),
      HasSubstr("on several ranks, what one halo exchange serves; off: one loop; on: a whole "
                "chain of loops,\n      with redundant computation"));
}

/// Those whose default is a value and no description.
TEST(Options, TheFirstValueOfASwitchIsItsDefault) {
  const Options defaults = read({});
  for (const auto& [name, value] : Variables{{"OP2_TARGET", "cpu"},
                                             {"OP2_JIT", "on"},
                                             {"OP2_JIT_CPU", "host"},
                                             {"OP2_CACHE", "rw"},
                                             {"OP2_CACHE_MAX_MB", "1024"},
                                             {"OP2_CHAIN", "off"},
                                             {"OP2_DEPTH_MAX", "6"},
                                             {"OP2_RENUMBER", "auto"},
                                             {"OP2_ASYNC_IO", "off"},
                                             {"OP2_SIMD", "auto"},
                                             {"OP2_VECTOR_MATH", "off"},
                                             {"OP2_TILE", "auto"},
                                             {"OP2_FP_CONTRACT", "auto"},
                                             {"OP2_DUMP", "none"},
                                             {"OP2_TRACE", "none"},
                                             {"OP2_TIMING", "none"},
                                             {"OP2_CHECK", "none"},
                                             {"OP2_DEBUG", "none"}})
    EXPECT_EQ(read({{name, value}}), defaults) << name;
}

TEST(Options, AFileIsNotWrittenForTheValueOfAnotherSwitch) {
  for (const char* name : {"OP2_TIMING", "OP2_TRACE", "OP2_HASH", "OP2_MODEL"})
    for (const std::string value : {"on", "off", "1", "True"})
      EXPECT_THAT(refusal({{name, value}}), AllOf(HasSubstr(name + ("=" + value) + "; use none, "),
                                                  HasSubstr("a file of this name is ./" + value)));
  EXPECT_EQ(read({{"OP2_TIMING", "./on"}}).timing, "./on");
}

TEST(Options, TheHostIsTheDefaultCpu) {
  EXPECT_EQ(read({{"OP2_JIT_CPU", "host"}}).jit_cpu, "");
}

/// All switches whose values are paths; a new one must be among them.
const Variables paths{{"OP2_PLUGIN_DIR", "/p"}, {"OP2_CUDA_DRIVER", "/p"}, {"OP2_NVRTC", "/p"},
                      {"OP2_CACHE_DIR", "/p"},  {"OP2_CACHE_RO", "/p"},    {"OP2_TRACE", "p"},
                      {"OP2_TIMING", "p"},      {"OP2_TOOLS", "/p.so"},    {"OP2_HASH", "p"},
                      {"OP2_MODEL", "p"},       {"OP2_DEBUG", "perf"}};

TEST(Options, AProgramWithMorePrivilegesThanItsUserIgnoresWhatNamesFiles) {
  Variables given = paths;
  given["OP2_THREADS"] = "3";
  Options o = read_options(
      [&](const char* name) -> std::optional<std::string> {
        const auto found = given.find(name);
        return found == given.end() ? std::nullopt : std::optional(found->second);
      },
      true);
  EXPECT_EQ(o.threads, 3);
  EXPECT_THAT(o.ignored, testing::UnorderedElementsAre("OP2_PLUGIN_DIR", "OP2_CUDA_DRIVER",
                                                       "OP2_NVRTC", "OP2_CACHE_DIR", "OP2_CACHE_RO",
                                                       "OP2_TRACE", "OP2_TIMING", "OP2_TOOLS",
                                                       "OP2_HASH", "OP2_MODEL", "OP2_DEBUG=perf"));
  o.ignored.clear();
  EXPECT_EQ(o, read({{"OP2_THREADS", "3"}}));
  EXPECT_TRUE(read(paths).ignored.empty());
}

TEST(Options, EverySwitchWhoseValuesAreFilesIsIgnoredByPrivilegedPrograms) {
  std::istringstream text(switches_as_markdown());
  for (std::string line; std::getline(text, line);) {
    const std::string name = line.substr(3, line.find('`', 3) - 3);
    const std::string values = line.substr(0, line.find(" |", name.size() + 6));
    const bool is_path = values.find("file") != values.npos || values.find("path") != values.npos ||
                         values.find("folder") != values.npos ||
                         values.find("libraries") != values.npos;
    EXPECT_EQ(is_path, paths.contains(name) && name != "OP2_DEBUG") << line;
  }
}

TEST(Options, ContractionIsSwitchedOffByOneSwitchForAllTargets) {
  EXPECT_TRUE(read({}).contracts());
  EXPECT_FALSE(read({{"OP2_FP_CONTRACT", "off"}}).contracts());
  EXPECT_FALSE(read({{"OP2_REPRODUCIBLE", "on"}}).contracts());
  EXPECT_TRUE(read({{"OP2_REPRODUCIBLE", "on"}, {"OP2_FP_CONTRACT", "on"}}).contracts());
  EXPECT_THAT(refusal({{"OP2_FP_CONTRACT", "fast"}}),
              HasSubstr("OP2_FP_CONTRACT=fast; use auto, on, off"));
}

TEST(Options, AnAmountOfMemoryForResultsIsInMebibytes) {
  EXPECT_EQ(read({}).async_io_bytes, 0);
  for (const char* value : {"0", "-1", "on", "1M", "1.5", ""})
    EXPECT_THAT(refusal({{"OP2_ASYNC_IO", value}}),
                AllOf(HasSubstr("OP2_ASYNC_IO"), HasSubstr("(of MiB), or off")))
        << value;
}

TEST(Options, AValueThatIsNotANumberNamesTheVariable) {
  EXPECT_THAT(refusal({{"OP2_THREADS", "4 "}}), HasSubstr("OP2_THREADS=4 ; use a number from 1"));
}

TEST(Options, TheLimitOfACompilationIsSecondsAndMebibytes) {
  EXPECT_EQ(read({{"OP2_JIT_LIMIT", "60:2048"}}), read({}));
  EXPECT_EQ(read({{"OP2_JIT_LIMIT", "5"}}).jit_seconds, 5);
  EXPECT_EQ(read({{"OP2_JIT_LIMIT", "5"}}).jit_memory_bytes, read({}).jit_memory_bytes);
  EXPECT_EQ(read({{"OP2_JIT_LIMIT", "5:256"}}).jit_memory_bytes, 256 << 20);
}

TEST(Options, ALimitOfACompilationThatIsNotPositiveIsRefused) {
  for (const char* value : {"0", "-1", "many", "60s", "60:", "60:0", "60:-5", "60:2:3", ":", ""})
    EXPECT_THAT(refusal({{"OP2_JIT_LIMIT", value}}),
                AllOf(HasSubstr(std::string("OP2_JIT_LIMIT=") + value),
                      HasSubstr(" (as seconds or seconds:MiB, e.g. 60:2048)")))
        << value;
}

TEST(Options, VariablesThatAreNotSwitchesAreFound) {
  char known[] = "OP2_THREADS=1", misspelled[] = "OP2_THREAD=1",
       wrapper[] = "OP2_EMBED_KERNELS=tool", other[] = "PATH=/bin";
  char* environment[] = {known, misspelled, wrapper, other, nullptr};
  EXPECT_THAT(
      unknown_switches(environment),
      testing::ElementsAre("OP2_THREAD is not a switch of libop2; --op2-help lists them; did "
                           "you mean 'OP2_THREADS'?"));
}

/// In lower case, without a character, or with another one.
TEST(Options, MisspelledNamesOfSwitchesAreFound) {
  const std::pair<std::string, const char*> misspelled[] = {
      {"op2_chain", "OP2_CHAIN"},     {"Op2_Chain", "OP2_CHAIN"},   {"op2_thread", "OP2_THREADS"},
      {"OP_CHAIN", "OP2_CHAIN"},      {"op_chain", "OP2_CHAIN"},    {"OP2CHAIN", "OP2_CHAIN"},
      {"OP3_CHAIN", "OP2_CHAIN"},     {"0P2_TIMING", "OP2_TIMING"}, {"OP2_CHIAN", "OP2_CHAIN"},
      {"_OP2_THREADS", "OP2_THREADS"}};
  for (const auto& [name, meant] : misspelled) {
    std::string entry = name + "=on";
    char* environment[] = {entry.data(), nullptr};
    EXPECT_THAT(unknown_switches(environment),
                testing::ElementsAre(name +
                                     " is not a switch of libop2; --op2-help lists them; "
                                     "did you mean '" +
                                     meant + "'?"));
  }
}

TEST(Options, VariablesOfOthersAreNotMisspelledSwitches) {
  for (std::string entry :
       {"OP_PROFILE_JSON_OUTPUT=a.json", "OP_SESSION_work=x", "op2_folder=/a", "CHAIN=on",
        "_=/bin/ls", "HOME=/", "OPAL_PREFIX=/usr", "OMP_NUM_THREADS=2", "=x"}) {
    char* environment[] = {entry.data(), nullptr};
    EXPECT_THAT(unknown_switches(environment), testing::IsEmpty()) << entry;
  }
}

}  // namespace
}  // namespace op2::core
