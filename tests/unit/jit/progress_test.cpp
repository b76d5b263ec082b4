// SPDX-License-Identifier: BSD-3-Clause
#include <jit/progress.hpp>

#include <string>

#include <gmock/gmock.h>

#include <support/stderr_capture.hpp>

namespace op2::jit {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

/// What is logged until it contains `text`; a test that waits in vain ends by its time limit.
std::string wait_for(test::StderrCapture& captured, const std::string& text) {
  std::string all;
  while (all.find(text) == all.npos) {
    std::this_thread::sleep_for(milliseconds(1));
    all += captured.news();
  }
  return all;
}

TEST(Progress, TellsWhichOfHowManyKernelsIsCompiled) {
  test::StderrCapture captured;
  core::Log log(core::LogLevel::info, "", milliseconds(1));
  Progress progress(3, log);
  wait_for(captured, "compiling 1 of 3 kernels");
  { const Progress::Step step(progress); }
  wait_for(captured, "compiling 2 of 3 kernels");
  SUCCEED();
}

TEST(Progress, SaysNothingBeforeItsPeriodIsOver) {
  test::StderrCapture captured;
  core::Log log(core::LogLevel::info, "", hours(1));
  { Progress progress(3, log); }
  EXPECT_EQ(captured.news(), "");
}

TEST(Progress, SaysNothingIfNotesAreNotLogged) {
  test::StderrCapture captured;
  core::Log log(core::LogLevel::warning, "", milliseconds(1));
  Progress progress(3, log);
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(captured.news(), "");
}

}  // namespace
}  // namespace op2::jit
