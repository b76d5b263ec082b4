// SPDX-License-Identifier: BSD-3-Clause
#include <core/log.hpp>

#include <string>
#include <thread>

#include <gmock/gmock.h>

#include <support/stderr_capture.hpp>
#include <support/terminal.hpp>

namespace op2::core {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

void wait_in_vain(LogLevel level) {
  Log log(level, "", milliseconds(1));
  const Progress progress(log, "partitioning");
  std::this_thread::sleep_for(milliseconds(20));
}

TEST(LongWait, IsShownAtTheDefaultLevelOnATerminal) {
  const test::Terminal terminal;
  Log log(LogLevel::warning, "", milliseconds(1));
  const Progress progress(log, "partitioning");
  EXPECT_THAT(terminal.wait_for("so far"), testing::StartsWith("op2: partitioning, 0 s so far"));
}

TEST(LongWait, HasThePrefixOfItsRank) {
  const test::Terminal terminal;
  Log log(LogLevel::warning, "[rank 0/4] ", milliseconds(1));
  const Progress progress(log, "partitioning");
  EXPECT_THAT(terminal.wait_for("so far"), testing::StartsWith("[rank 0/4] op2: partitioning"));
}

TEST(LongWait, OfAToolHasItsName) {
  const test::Terminal terminal;
  Log log(LogLevel::warning, "", milliseconds(1), "op2-model");
  const Progress progress(log, "cutting");
  EXPECT_THAT(terminal.wait_for("so far"), testing::StartsWith("op2-model: cutting, 0 s so far"));
}

TEST(LongWait, ShowsOnlyTheInnermostOfSeveral) {
  test::StderrCapture captured;
  Log log(LogLevel::info, "", milliseconds(1));
  const Progress outer(log, "planning");
  {
    const Progress inner(log, "compiling");
    std::string all;
    while (all.find("compiling") == all.npos) all += captured.news();
    captured.news();
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_THAT(captured.news(), testing::Not(testing::HasSubstr("planning")));
  }
  std::string all;
  while (all.find("planning") == all.npos) all += captured.news();
}

TEST(LongWait, MayBeginAndEndOnAnyThread) {
  test::StderrCapture captured;
  Log log(LogLevel::info, "", milliseconds(1));
  const auto wait_often = [&] {
    for (int k = 0; k < 300; ++k) {
      const Progress outer(log, "planning"), inner(log, "compiling");
      std::this_thread::sleep_for(std::chrono::microseconds(k));
    }
  };
  std::thread other(wait_often);
  wait_often();
  other.join();
  EXPECT_THAT(captured.news(), testing::HasSubstr("compiling, 0 s so far"));
}

TEST(LongWait, IsANoteWhereNotesAreLogged) {
  test::StderrCapture captured;
  Log log(LogLevel::info, "", milliseconds(1));
  std::string all;
  {
    const Progress progress(log, "partitioning");
    while (all.find("op2 info: partitioning, 0 s so far") == all.npos) all += captured.news();
  }
}

TEST(LongWait, IsSilentWithoutATerminal) {
  test::StderrCapture captured;
  wait_in_vain(LogLevel::warning);
  EXPECT_EQ(captured.news(), "");
}

TEST(LongWait, IsSilentWhereWarningsAreNot) {
  test::StderrCapture captured;
  wait_in_vain(LogLevel::error);  // other ranks than the first
  EXPECT_EQ(captured.news(), "");
  const test::Terminal terminal;
  EXPECT_FALSE(Log(LogLevel::error).shows_progress());
  EXPECT_TRUE(Log(LogLevel::warning).shows_progress());
}

TEST(LongWait, IsSilentWhenItIsShort) {
  test::StderrCapture captured;
  Log log(LogLevel::info, "", hours(1));
  {
    const Progress progress(log, "partitioning");
  }
  EXPECT_EQ(captured.news(), "");
}

}  // namespace
}  // namespace op2::core
