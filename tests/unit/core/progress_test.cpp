// SPDX-License-Identifier: BSD-3-Clause
#include <core/progress.hpp>

#include <string>

#include <pty.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <support/stderr_capture.hpp>

namespace op2::core {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

/// Leads stderr to a terminal while it lives.
class Terminal {
 public:
  Terminal() {
    EXPECT_EQ(openpty(&here_, &there_, nullptr, nullptr, nullptr), 0);
    before_ = dup(STDERR_FILENO);
    dup2(there_, STDERR_FILENO);
  }
  ~Terminal() {
    dup2(before_, STDERR_FILENO);
    for (const int file : {here_, there_, before_}) close(file);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Waits for it; a test that waits in vain ends by its time limit.
  std::string wait_for(const std::string& text) const {
    std::string all;
    char some[256];
    while (all.find(text) == std::string::npos)
      if (const ssize_t count = read(here_, some, sizeof some); count > 0)
        all.append(some, static_cast<std::size_t>(count));
    return all;
  }

 private:
  int here_ = -1, there_ = -1, before_ = -1;
};

void wait_in_vain(LogLevel level) {
  Log log(level);
  const Progress progress(log, "partitioning", milliseconds(1));
  std::this_thread::sleep_for(milliseconds(20));
}

TEST(LongWait, IsShownAtTheDefaultLevelOnATerminal) {
  const Terminal terminal;
  Log log(LogLevel::warning);
  const Progress progress(log, "partitioning", milliseconds(1));
  EXPECT_THAT(terminal.wait_for("so far"), testing::StartsWith("op2: partitioning, 0 s so far"));
}

TEST(LongWait, HasThePrefixOfItsRank) {
  const Terminal terminal;
  Log log(LogLevel::warning, "[rank 0/4] ");
  const Progress progress(log, "partitioning", milliseconds(1));
  EXPECT_THAT(terminal.wait_for("so far"), testing::StartsWith("[rank 0/4] op2: partitioning"));
}

TEST(LongWait, IsANoteWhereNotesAreLogged) {
  test::StderrCapture captured;
  Log log(LogLevel::info);
  std::string all;
  {
    const Progress progress(log, "partitioning", milliseconds(1));
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
  const Terminal terminal;
  EXPECT_FALSE(shows_progress(Log(LogLevel::error)));
  EXPECT_TRUE(shows_progress(Log(LogLevel::warning)));
}

TEST(LongWait, IsSilentWhenItIsShort) {
  test::StderrCapture captured;
  Log log(LogLevel::info);
  { const Progress progress(log, "partitioning", hours(1)); }
  EXPECT_EQ(captured.news(), "");
}

}  // namespace
}  // namespace op2::core
