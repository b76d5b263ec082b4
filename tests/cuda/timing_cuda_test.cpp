// SPDX-License-Identifier: BSD-3-Clause
// The table, the trace and the tools of loops on a device, whose events are a millisecond apart.
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <op2/op2.hpp>

#include <support/stderr_capture.hpp>
#include <support/told.hpp>

namespace op2::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

OP_KERNEL(store_one, (double* x), { x[0] = 1; });
OP_KERNEL(add_up, (const double* x, double* sum), { sum[0] += x[0]; });

std::string text_of(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Runs two loops on the device, the first of them `times` times, one by one.
void run_program(int times, const std::function<void()>& before_end = nullptr) {
  char name[] = "timing_cuda_test";
  char* arguments[] = {name, nullptr};
  op_init(1, arguments, 0);
  const op_set rows = op_decl_set(10, "rows");
  const op_dat x = op_decl_dat(rows, 1, static_cast<const double*>(nullptr), "x");
  for (int k = 0; k < times; ++k) {
    const op_region step("step");
    op_par_loop(store_one, "store_one", rows, op_arg_dat(x, OP_WRITE));
    op_flush();
  }
  double sum = 0;
  op_par_loop(add_up, "add_up", rows, op_arg_dat(x, OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  if (before_end) before_end();
  op_exit();
  EXPECT_EQ(sum, 10);
}

class TimingOnCuda : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override {
    for (const char* name : {"OP2_TIMING", "OP2_TRACE", "OP2_TOOLS"}) unsetenv(name);
    std::filesystem::remove_all(folder);
  }
  std::string run(const char* option, const char* file, int times) {
    setenv(option, (folder / file).c_str(), 1);
    run_program(times);
    return text_of(folder / file);
  }
  const std::filesystem::path folder = testing::TempDir() + "timing_cuda_test";
};

TEST_F(TimingOnCuda, TheTableHasTheSecondsOfTheDevice) {
  EXPECT_THAT(run("OP2_TIMING", "table.csv", 3), HasSubstr("\"store_one\",3,0,30,0.003,"));
}

TEST_F(TimingOnCuda, ATableOfWhatIsNotMeasuredSaysSo) {
  const auto table = [](const char* timing) {
    setenv("OP2_TIMING", timing, 1);
    testing::internal::CaptureStdout();
    run_program(2, op_timing_output);
    return testing::internal::GetCapturedStdout();
  };
  EXPECT_THAT(table(""),
              HasSubstr("Loops on the device are not measured, their seconds are those "
                        "of the host, and GB/s, GFLOP/s and shares follow from them: set "
                        "OP2_TIMING\nloop"));
  EXPECT_THAT(table("-"), testing::Not(HasSubstr("not measured")));
}

TEST_F(TimingOnCuda, ALoopOfTheHostHasAReason) {
  setenv("OP2_JIT", "off", 1);
  setenv("OP2_LOG", "warning", 1);
  StderrCapture log;
  run_program(1);
  unsetenv("OP2_JIT");
  unsetenv("OP2_LOG");
  EXPECT_THAT(log.news(), HasSubstr("runs on one thread of the host: OP2_JIT=off; data"));
}

TEST_F(TimingOnCuda, ARegionHasTheSecondsOfItsLoopsOnTheDevice) {
  EXPECT_THAT(run("OP2_TIMING", "table.json", 3),
              ContainsRegex("\"loop_seconds\": 0\\.00(3|29999)[0-9]*,"));
}

TEST_F(TimingOnCuda, TheTraceHasALaneForTheDevice) {
  const std::string trace = run("OP2_TRACE", "trace.json", 1);
  EXPECT_THAT(trace, HasSubstr("\"device\""));
  EXPECT_THAT(trace, HasSubstr("\"store_one\""));
  EXPECT_THAT(trace, HasSubstr("\"add_up\""));
}

/// The host runs what sets a global by single elements.
OP_KERNEL(take_last, (const double* x, double* last), { *last = *x; });

TEST_F(TimingOnCuda, ToolsAreToldOfLoopsOnTheDeviceAndOnTheHost) {
  setenv("OP2_TOOLS", OP2_TEST_TOOL, 1);
  char name[] = "timing_cuda_test";
  char* arguments[] = {name, nullptr};
  op_init(1, arguments, 0);
  const op_set rows = op_decl_set(10, "rows");
  const op_dat x = op_decl_dat(rows, 1, static_cast<const double*>(nullptr), "x");
  op_par_loop(store_one, "store_one", rows, op_arg_dat(x, OP_WRITE));
  double last = 0;
  op_par_loop(take_last, "take_last", rows, op_arg_dat(x, OP_READ),
              op_arg_gbl(&last, 1, "double", OP_WRITE));
  op_exit();
  std::vector<std::string> loops;
  for (const std::string& line : told(OP2_TEST_TOOL))
    if (line.find("loop ") != std::string::npos) loops.push_back(line);
  EXPECT_THAT(loops, ElementsAre("loop on device store_one 0.001000", "begin loop take_last",
                                 "end loop take_last"));
}

}  // namespace
}  // namespace op2::test
