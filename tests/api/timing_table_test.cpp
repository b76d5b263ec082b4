// SPDX-License-Identifier: BSD-3-Clause
// What OP2_TIMING leaves of a program.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <op2/op2.hpp>

#include <support/temporary_directory.hpp>

namespace op2::test {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;

OP_KERNEL(first, (const double* a, double* b), { *b = 2 * *a; });
OP_KERNEL(second, (const double* a, double* b), { *b += *a; });

class TimingTable : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"OP2_TIMING", "OP2_CACHE_DIR"}) unsetenv(name);
  }

  /// A program of two loops that fuse, with OP2_TIMING and an own cache directory.
  void run(const std::string& timing) {
    setenv("OP2_TIMING", timing.c_str(), 1);
    setenv("OP2_CACHE_DIR", cache_.c_str(), 1);
    op_init(0, nullptr, 1);
    const op_set cells = op_decl_set(100, "cells");
    const op_dat a = op_decl_dat<double>(cells, 1, nullptr, "a");
    const op_dat b = op_decl_dat<double>(cells, 1, nullptr, "b");
    op_par_loop(first, "first", cells, op_arg_dat(a, OP_READ), op_arg_dat(b, OP_WRITE));
    op_par_loop(second, "second", cells, op_arg_dat(a, OP_READ), op_arg_dat(b, OP_RW));
    op_exit();
  }

  TemporaryDirectory folder_;
  const std::string cache_ = (folder_.path() / "cache").string();
};

TEST_F(TimingTable, NamesTheEntriesOfTheCacheThatRan) {
  const std::string path = folder_.path() / "loops.json";
  run(path);
  std::ifstream file(path);
  const auto loops = nlohmann::json::parse(file)["loops"];
  ASSERT_EQ(loops[0]["loop"], "first+second");
  ASSERT_EQ(loops[0]["keys"].size(), 1u);
  EXPECT_TRUE(fs::exists(fs::path(cache_) / (loops[0]["keys"][0].get<std::string>() + ".op2")));
  EXPECT_TRUE(loops[1]["keys"].empty());  // it ran in the fused loop alone
}

TEST_F(TimingTable, IsPrintedOnceIfTheProgramPrintsItAfterItsLastLoop) {
  setenv("OP2_TIMING", "-", 1);
  for (const int loops_after : {0, 1}) {
    testing::internal::CaptureStdout();
    op_init(0, nullptr, 1);
    const op_set cells = op_decl_set(100, "cells");
    const op_dat a = op_decl_dat<double>(cells, 1, nullptr, "a");
    const op_dat b = op_decl_dat<double>(cells, 1, nullptr, "b");
    op_par_loop(first, "first", cells, op_arg_dat(a, OP_READ), op_arg_dat(b, OP_WRITE));
    op_timing_output();
    for (int k = 0; k < loops_after; ++k)
      op_par_loop(second, "second", cells, op_arg_dat(a, OP_READ), op_arg_dat(b, OP_RW));
    op_exit();
    const std::string printed = testing::internal::GetCapturedStdout();
    int tables = 0;
    for (std::size_t at = printed.find("\ntotal "); at != std::string::npos;
         at = printed.find("\ntotal ", at + 1))
      ++tables;
    EXPECT_EQ(tables, 1 + loops_after) << printed;
  }
}

TEST_F(TimingTable, CountsTheCallsThatAreInEachFusedLoop) {
  const std::string path = folder_.path() / "loops.json";
  setenv("OP2_TIMING", path.c_str(), 1);
  op_init(0, nullptr, 1);
  const op_set cells = op_decl_set(100, "cells");
  const op_dat a = op_decl_dat<double>(cells, 1, nullptr, "a");
  const op_dat b = op_decl_dat<double>(cells, 1, nullptr, "b");
  for (int flush = 0; flush < 5; ++flush) {
    if (flush == 0)
      op_par_loop(second, "second", cells, op_arg_dat(a, OP_READ), op_arg_dat(b, OP_RW));
    op_par_loop(second, "first", cells, op_arg_dat(a, OP_READ), op_arg_dat(b, OP_RW));
    op_par_loop(second, "second", cells, op_arg_dat(a, OP_READ), op_arg_dat(b, OP_RW));
    op_flush();
  }
  op_exit();
  std::ifstream file(path);
  const auto loops = nlohmann::json::parse(file)["loops"];
  for (const auto& loop : loops) {
    if (loop["loop"] != "first") continue;
    EXPECT_EQ(loop["fused"], 5);
    EXPECT_EQ(loop["fused_in"], "4 in first+second, 1 in second+first+second");
    return;
  }
  FAIL() << "no row for the loop";
}

TEST_F(TimingTable, IsPrintedForAHyphen) {
  testing::internal::CaptureStdout();
  run("-");
  const std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_THAT(printed, ContainsRegex("loop +calls +seconds"));
  EXPECT_THAT(printed, HasSubstr("\nfirst+second "));
  EXPECT_THAT(printed, HasSubstr("\nJIT: "));
  EXPECT_FALSE(fs::exists("-"));
}

}  // namespace
}  // namespace op2::test
