// SPDX-License-Identifier: BSD-3-Clause
// A fault in a kernel names its loop and call site, and then has the effect that it always has.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <limits>

#include <gmock/gmock.h>

#include <op2/op2.hpp>

namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ExitedWithCode;
using testing::HasSubstr;
using testing::KilledBySignal;
using testing::Not;

constexpr const char* wild =
    "void wild(const int* i, double* a) { *a = *(volatile double*)(16 + 0ul * *i); }";
OP_KERNEL(wild_on_host, (const int* i, double* a),
          { *a = *reinterpret_cast<volatile double*>(16 + 0ul * static_cast<unsigned long>(*i)); });
constexpr const char* line =
    "op2 error: a kernel crashed: loop 'wild' \\(.*crash_test.cpp:[0-9]+\\)"
    ", SIGSEGV at address 0x10; check";

void run(op_kernel kernel, const char* target) {
  setenv("OP2_TARGET", target, 1);
  op_init(0, nullptr, 0);
  const op_set set = op_decl_set(10'000, "set");
  const op_dat dat = op_decl_dat<double>(set, 1, nullptr, "dat");
  if (kernel == nullptr) kernel = op_decl_kernel("wild", wild);
  op_par_loop(kernel, "wild", set, op_arg_idx(-1, OP_ID), op_arg_dat(dat, OP_WRITE));
  op_flush();
}

void own_handler(int) {
  constexpr char text[] = "own handler\n";
  static_cast<void>(!write(STDERR_FILENO, text, sizeof text - 1));
  _exit(7);
}

struct CrashDeathTest : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(CrashDeathTest, OfCompiledCodeOnThreadsNamesTheLoop) {
  EXPECT_EXIT((setenv("OP2_THREADS", "2", 1), run(nullptr, "cpu")), KilledBySignal(SIGSEGV), line);
}

TEST_F(CrashDeathTest, OfAHostFunctionNamesTheLoop) {
  EXPECT_EXIT(run(wild_on_host, "reference"), KilledBySignal(SIGSEGV), line);
}

TEST_F(CrashDeathTest, IsPassedOnToTheHandlerOfTheProgram) {
  EXPECT_EXIT((std::signal(SIGSEGV, own_handler), run(wild_on_host, "reference")),
              ExitedWithCode(7), AllOf(ContainsRegex(line), HasSubstr("\nown handler")));
}

TEST_F(CrashDeathTest, LeavesAHandlerAloneThatTheProgramSetsLater) {
  const auto act = [] {
    op_init(0, nullptr, 0);
    std::signal(SIGSEGV, own_handler);
    op_exit();
    std::raise(SIGSEGV);
  };
  EXPECT_EXIT(act(), ExitedWithCode(7), "own handler");
}

TEST_F(CrashDeathTest, OutsideLoopsSaysNothing) {
  const auto act = [] {
    op_init(0, nullptr, 0);
    std::raise(SIGSEGV);
  };
  EXPECT_EXIT(act(), KilledBySignal(SIGSEGV), Not(HasSubstr("kernel crashed")));
}

TEST_F(CrashDeathTest, SaysNothingIfNothingIsLogged) {
  EXPECT_EXIT((setenv("OP2_LOG", "off", 1), run(wild_on_host, "reference")),
              KilledBySignal(SIGSEGV), Not(HasSubstr("kernel crashed")));
}

}  // namespace
