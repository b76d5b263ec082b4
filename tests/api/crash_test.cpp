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

void run_one(op_kernel kernel) {
  setenv("OP2_TARGET", "reference", 1);
  op_init(0, nullptr, 0);
  const op_set set = op_decl_set(1, "set");
  op_par_loop(kernel, "one", set, op_arg_dat(op_decl_dat<double>(set, 1, nullptr, "d"), OP_RW));
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

TEST_F(CrashDeathTest, OfSeveralThreadsAtOnceNamesTheLoopOnce) {
  for (int k = 0; k < 5; ++k)
    EXPECT_EXIT((setenv("OP2_THREADS", "4", 1), run(nullptr, "cpu")), KilledBySignal(SIGSEGV),
                AllOf(ContainsRegex(line), Not(ContainsRegex("crashed(.|\n)*crashed"))));
}

struct sigaction replaced;

void restoring_handler(int) {
  sigaction(SIGSEGV, &replaced, nullptr);
}

TEST_F(CrashDeathTest, EndsAlthoughAHandlerOfTheProgramPutsBackThatOfTheLibrary) {
  const auto act = [] {
    op_init(0, nullptr, 0);
    struct sigaction own{};
    own.sa_handler = restoring_handler;
    sigaction(SIGSEGV, &own, &replaced);
    op_exit();
    run(wild_on_host, "reference");
  };
  EXPECT_EXIT(act(), KilledBySignal(SIGSEGV), line);
}

TEST_F(CrashDeathTest, EndsInASecondSessionThatFindsTheHandlerOfTheFirst) {
  const auto act = [] {
    op_init(0, nullptr, 0);
    std::signal(SIGSEGV, own_handler);
    op_exit();
    sigaction(SIGSEGV, &replaced, nullptr);
    run(wild_on_host, "reference");
  };
  const auto whole = [&] {
    op_init(0, nullptr, 0);
    sigaction(SIGSEGV, nullptr, &replaced);
    op_exit();
    act();
  };
  EXPECT_EXIT(whole(), KilledBySignal(SIGSEGV), line);
}

OP_KERNEL(ask_for_an_end, (double* a), {
  kill(getpid(), SIGSEGV);
  *a = 1;
});

TEST_F(CrashDeathTest, ASignalThatIsSentIsNoCrashOfAKernel) {
  EXPECT_EXIT(run_one(ask_for_an_end), KilledBySignal(SIGSEGV), Not(HasSubstr("crashed")));
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
