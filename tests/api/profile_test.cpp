// SPDX-License-Identifier: BSD-3-Clause
// Regions and parts in the table of OP2_TIMING, and what tools are told.
#include <cstdlib>
#include <fstream>
#include <memory>
#include <numeric>
#include <regex>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <op2/checkpoint.hpp>
#include <op2/op2.hpp>

#include <support/temporary_directory.hpp>
#include <support/told.hpp>

namespace op2::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

OP_KERNEL(first, (const double* a, double* b), { *b = 2 * *a; });
OP_KERNEL(second, (const double* a, double* b), { *b += *a; });
OP_KERNEL(third, (const double* b, double* c), { c[0] += *b; });

class ProfileTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("OP2_TIMING", path("t.json").c_str(), 1);
    setenv("OP2_TRACE", path("trace.json").c_str(), 1);
  }
  void TearDown() override {
    op_exit();
    for (const char* name : {"OP2_TIMING", "OP2_TRACE", "OP2_TOOLS", "OP2_DEBUG", "OP2_TARGET"})
      unsetenv(name);
  }
  std::string path(const char* name) const { return folder_.path() / name; }

  void start() {
    op_init(0, nullptr, 1);
    cells_ = op_decl_set(1000, "cells");
    nodes_ = op_decl_set(1000, "nodes");
    std::vector<int> same(1000);
    std::iota(same.begin(), same.end(), 0);
    map_ = op_decl_map(cells_, nodes_, 1, same.data(), "map");
    a_ = op_decl_dat<double>(cells_, 1, nullptr, "a");
    b_ = op_decl_dat<double>(cells_, 1, nullptr, "b");
    c_ = op_decl_dat<double>(nodes_, 1, nullptr, "c");
    d_ = op_decl_dat<double>(nodes_, 1, nullptr, "d");
  }
  void call_first() {
    op_par_loop(first, "first", cells_, op_arg_dat(a_, OP_READ), op_arg_dat(b_, OP_WRITE));
  }
  void call_second() {
    op_par_loop(second, "second", cells_, op_arg_dat(a_, OP_READ), op_arg_dat(b_, OP_RW));
  }
  void call_third() {
    op_par_loop(third, "third", cells_, op_arg_dat(b_, OP_READ), op_arg_dat(c_, 0, map_, OP_INC));
  }
  /// Of another set, so that it is not fused.
  void call_on_nodes() {
    op_par_loop(first, "on_nodes", nodes_, op_arg_dat(c_, OP_READ), op_arg_dat(d_, OP_WRITE));
  }
  json table() {
    op_exit();
    std::ifstream file(path("t.json"));
    return json::parse(file);
  }
  /// Spans of the trace; empty: of any name.
  int regions_of_trace(const std::string& name = "") const {
    std::ifstream file(path("trace.json"));
    int spans = 0;
    const json trace = json::parse(file);
    for (const json& event : trace["traceEvents"])
      if (event.value("cat", "") == "region" && (name.empty() || event["name"] == name)) ++spans;
    return spans;
  }
  static json row(const json& rows, const char* key, const std::string& name) {
    for (const json& row : rows)
      if (row[key] == name) return row;
    ADD_FAILURE() << "no " << key << " '" << name << "' in " << rows.dump();
    return json{{"calls", -1},     {"entries", -1},     {"loops", -1},
                {"seconds", -1.0}, {"executing", -1.0}, {"loop_seconds", -1.0}};
  }

  TemporaryDirectory folder_;
  op_set cells_ = nullptr, nodes_ = nullptr;
  op_map map_ = nullptr;
  op_dat a_ = nullptr, b_ = nullptr, c_ = nullptr, d_ = nullptr;
};

TEST_F(ProfileTest, PartsAddUpToTheWallTime) {
  const auto begin = std::chrono::steady_clock::now();
  start();
  call_first();
  op_checkpoint(path("c").c_str());
  std::vector<double> values(1000);
  op_fetch_data(b_, values);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  const json all = table();
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
  double sum = 0;
  for (const json& part : all["parts"]) sum += part["seconds"].get<double>();
  EXPECT_NEAR(sum, all["wall_seconds"], 1e-9 * sum);
  EXPECT_LE(sum, whole.count());
  EXPECT_GE(row(all["parts"], "part", "program")["seconds"], 0.03);
  EXPECT_EQ(row(all["parts"], "part", "declarations")["entries"], 7);
  EXPECT_EQ(row(all["parts"], "part", "files")["entries"], 1);
  EXPECT_EQ(row(all["parts"], "part", "results")["entries"], 1);
  for (const char* part : {"start", "loops", "plans", "code"})
    EXPECT_GT(row(all["parts"], "part", part)["seconds"], 0) << part;
  EXPECT_GE(row(all["parts"], "part", "loops")["seconds"].get<double>(), all["total_seconds"]);
}

TEST_F(ProfileTest, ALoopCountsInTheRegionInWhichItWasCalled) {
  start();
  {
    const op_region step("step");
    call_first();
    {
      const op_region flux("flux");
      call_third();
    }
  }
  call_first();
  op_flush();
  const json all = table();
  const json step = row(all["regions"], "region", "step");
  const json flux = row(all["regions"], "region", "step/flux");
  EXPECT_EQ(all["regions"].size(), 2);
  EXPECT_EQ(step["calls"], 1);
  EXPECT_EQ(step["loops"], 2);
  EXPECT_EQ(flux["loops"], 1);
  EXPECT_EQ(flux["executing"], 0.0);
  EXPECT_GT(flux["loop_seconds"], 0.0);
  EXPECT_GT(step["loop_seconds"].get<double>(), flux["loop_seconds"].get<double>());
  EXPECT_LT(step["loop_seconds"].get<double>(), all["total_seconds"].get<double>());
  EXPECT_GE(step["seconds"].get<double>(), flux["seconds"].get<double>());
}

TEST_F(ProfileTest, AllLoopsOfARegionTakeTheTimeOfTheTable) {
  setenv("OP2_TILE", "16", 1);
  for (const char* debug : {"no_fuse,no_tile", "", "no_simd"}) {
    setenv("OP2_DEBUG", debug, 1);
    start();
    op_region_begin("all");
    for (int k = 0; k < 4; ++k) call_first(), call_third(), call_on_nodes();
    op_flush();
    const json all = table();  // which ends the region
    const json region = row(all["regions"], "region", "all");
    EXPECT_NEAR(region["loop_seconds"], all["total_seconds"], 1e-9) << debug;
    EXPECT_EQ(region["loops"], 9) << debug;  // the last one alone sets what others overwrite
    EXPECT_GT(region["executing"].get<double>(), all["total_seconds"].get<double>()) << debug;
    EXPECT_LE(region["executing"].get<double>(), region["seconds"].get<double>()) << debug;
  }
}

TEST_F(ProfileTest, FusedLoopsOfTwoRegionsShareTheirTime) {
  start();
  for (int k = 0; k < 3; ++k) {
    op_region_begin("a");
    call_first();
    op_region_end();
    op_region_begin("b");
    call_second();
    op_region_end();
    op_flush();
  }
  const json all = table();
  const json a = row(all["regions"], "region", "a"), b = row(all["regions"], "region", "b");
  EXPECT_EQ(a["calls"], 3);
  EXPECT_EQ(a["loops"], 3);
  EXPECT_EQ(a["loop_seconds"], b["loop_seconds"]);
  EXPECT_NEAR(a["loop_seconds"], all["total_seconds"].get<double>() / 2, 1e-9);
}

TEST_F(ProfileTest, ARegionEndsWithTheOneAroundIt) {
  start();
  try {
    const op_region outer("outer");
    op_region_begin("inner");
    throw 1;
  } catch (int) {
  }
  try {
    op_region_end();
    FAIL() << "a region is open";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_range);
    EXPECT_THAT(error.what(), HasSubstr("op_region_end, 0 are open"));
  }
  op_region_begin("after");
  const json all = table();
  EXPECT_EQ(all["regions"].size(), 3);
  EXPECT_EQ(row(all["regions"], "region", "outer/inner")["calls"], 1);
  EXPECT_GT(row(all["regions"], "region", "after")["seconds"], 0.0);
}

TEST_F(ProfileTest, AScopeThatOutlivesItsSessionEndsNothingOfAnother) {
  start();
  auto old = std::make_unique<op_region>("old");
  op_exit();
  start();
  op_region_begin("new");
  old.reset();
  EXPECT_NO_THROW(op_region_end());
}

TEST_F(ProfileTest, RegionsBeyondTheBoundAreOthers) {
  start();
  for (int k = 0; k < 5000; ++k) const op_region one(std::to_string(k).c_str());
  const json all = table();
  EXPECT_EQ(all["regions"].size(), 4095);
  EXPECT_EQ(row(all["regions"], "region", "others")["calls"], 5000 - 4094);
}

/// "I/O" is a name, too.
TEST_F(ProfileTest, RegionsOfOnePathAreOneRow) {
  start();
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  {
    const op_region outer("step");
    const op_region inner("flux");
    wait();
  }
  {
    const op_region alone("step/flux");
    wait();
  }
  const json all = table();
  EXPECT_EQ(all["regions"].size(), 2);
  const json row_of_both = row(all["regions"], "region", "step/flux");
  EXPECT_EQ(row_of_both["calls"], 2);
  EXPECT_GE(row_of_both["seconds"], 0.04);
  EXPECT_EQ(row_of_both["seconds_mean"], row_of_both["seconds"]);
}

TEST_F(ProfileTest, RegionsNeedASessionAndAName) {
  EXPECT_THROW(op_region_begin("step"), Error);
  start();
  EXPECT_THROW(op_region_begin(""), Error);
  EXPECT_THROW(op_region_begin(nullptr), Error);
}

TEST_F(ProfileTest, TheTraceHasSpansOfRegions) {
  start();
  {
    const op_region step("a \"step\"");
  }
  op_exit();
  EXPECT_EQ(regions_of_trace("a \"step\""), 1);
}

TEST_F(ProfileTest, TheTableIsPrintedWithPartsAndRegions) {
  setenv("OP2_TIMING", "-", 1);
  start();
  {
    const op_region step("step");
  }
  testing::internal::CaptureStdout();
  op_exit();
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(std::regex_search(text, std::regex("\nwall time +[0-9.]+ +100.0%\n"))) << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("\nstep +1 +[0-9.]+ +0.0000 +0 +0.0000\n")))
      << text;
}

TEST_F(ProfileTest, ToolsAreToldOfLoopsRegionsAndParts) {
  for (const char* target : {"cpu", "reference"}) {
    setenv("OP2_TOOLS", OP2_TEST_TOOL, 1);
    setenv("OP2_DEBUG", "no_tile", 1);
    setenv("OP2_TARGET", target, 1);
    op_init(0, nullptr, 1);
    cells_ = op_decl_set(10, "cells");
    a_ = op_decl_dat<double>(cells_, 1, nullptr, "a");
    b_ = op_decl_dat<double>(cells_, 1, nullptr, "b");
    {
      const op_region step("step");
      call_first();
    }
    op_exit();
    EXPECT_THAT(
        told(OP2_TEST_TOOL),
        ElementsAre("init 1 0 1", "begin part declarations", "end part declarations",
                    "begin part declarations", "end part declarations", "begin part declarations",
                    "end part declarations", "begin region step", "end region step",
                    "begin part loops", "begin loop first", "end loop first", "end part loops",
                    "begin part messages", "end part messages", "finalize "))
        << target;
  }
}

TEST_F(ProfileTest, RegionsThatAreOpenAtTheEndEndThere) {
  setenv("OP2_TOOLS", OP2_TEST_TOOL, 1);
  start();
  op_region_begin("outer");
  op_region_begin("inner");
  op_exit();
  const std::vector<std::string> all = told(OP2_TEST_TOOL);
  ASSERT_GE(all.size(), 3U);
  EXPECT_THAT(std::vector(all.end() - 3, all.end()),
              ElementsAre("end region inner", "end region outer", "finalize "));
  EXPECT_EQ(regions_of_trace(), 2);
}

/// Begin and end have one name, that of the table.
TEST_F(ProfileTest, ToolsAreToldOfOtherRegions) {
  setenv("OP2_TOOLS", OP2_TEST_TOOL, 1);
  start();
  for (int k = 0; k < 4095; ++k) const op_region one(std::to_string(k).c_str());
  op_exit();
  const std::vector<std::string> all = told(OP2_TEST_TOOL);
  EXPECT_EQ(std::ranges::count(all, "begin region others"), 1);
  EXPECT_EQ(std::ranges::count(all, "end region others"), 1);
}

TEST_F(ProfileTest, TilesAreOneLoopForTools) {
  setenv("OP2_TOOLS", OP2_TEST_TOOL, 1);
  setenv("OP2_TILE", "16", 1);
  start();
  call_first();
  call_third();
  call_on_nodes();
  op_exit();
  const std::vector<std::string> all = told(OP2_TEST_TOOL);
  EXPECT_EQ(std::ranges::count(all, "begin loop tiles"), 1);
  EXPECT_EQ(std::ranges::count(all, "end loop tiles"), 1);
}

void expect_refused(const char* tools, const std::string& text) {
  setenv("OP2_TOOLS", tools, 1);
  try {
    op_init(0, nullptr, 1);
    ADD_FAILURE() << tools << " was loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_option);
    EXPECT_THAT(error.what(), HasSubstr(text));
  }
}

TEST_F(ProfileTest, LibrariesThatAreNoToolsAreRefused) {
  expect_refused("/missing/tool.so", "OP2_TOOLS, /missing/tool.so: cannot open");
  expect_refused(OP2_TEST_TOOL ",libm.so.6", "'libm.so.6' has 0 of the functions of op2/tool.h");
}

/// Otherwise it would miss its end.
TEST_F(ProfileTest, NoToolBeginsIfOneIsRefused) {
  setenv("OP2_TOOLS", OP2_TEST_TOOL, 1);
  op_init(0, nullptr, 1);
  op_exit();
  ASSERT_EQ(told(OP2_TEST_TOOL).back(), "finalize ");
  expect_refused(OP2_TEST_TOOL ",/missing/tool.so", "cannot open");
  EXPECT_EQ(told(OP2_TEST_TOOL).back(), "finalize ");
}

}  // namespace
}  // namespace op2::test
