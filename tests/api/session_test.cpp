// SPDX-License-Identifier: BSD-3-Clause
// The life of a session: start, end, failure, threads, processes, and the reports it leaves.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <op2/op2.hpp>

#include <support/expect_error.hpp>
#include <support/stderr_capture.hpp>
#include <support/temporary_directory.hpp>
#include <support/variable.hpp>

namespace {

using op2::ErrorCode;
using op2::test::error_text;
using op2::test::Variable;
using testing::AllOf;
using testing::HasSubstr;

OP_KERNEL(set_one, (double* a), { *a = 1; });
OP_KERNEL(add_one, (double* a, double* b), {
  *a += 1;
  *b += 1;
});
OP_KERNEL(add_first, (const double* g, double* a), { *a += *g; });

TEST(Session, CallsBeforeInitAreRefused) {
  EXPECT_THAT(error_text(ErrorCode::not_initialised, [] { op_decl_set(1, "set"); }),
              HasSubstr("libop2 is not running: op_decl_set; call op_init first"));
  const op_kernel kernel = nullptr;
  EXPECT_THAT(error_text(ErrorCode::not_initialised, [&] { op_par_loop(kernel, "loop", nullptr); }),
              HasSubstr("libop2 is not running: op_par_loop"));
}

TEST(Session, ExitWithoutInitAndTwiceDoesNothing) {
  op_exit();
  op_init(0, nullptr, 0);
  op_exit();
  op_exit();
}

TEST(Session, CallsAfterExitAreRefused) {
  op_init(0, nullptr, 0);
  op_exit();
  error_text(ErrorCode::not_initialised, [] { op_flush(); });
}

TEST(Session, ASecondSessionRefusesHandlesOfTheFirst) {
  op_init(0, nullptr, 0);
  const op_set old_set = op_decl_set(1, "set");
  const op_dat old_dat = op_decl_dat<double>(old_set, 1, nullptr, "dat");
  const op_kernel old_kernel = op_decl_kernel("k", "void k(double* a) { *a = 1; }");
  op_exit();
  op_init(0, nullptr, 0);
  const op_set set = op_decl_set(1, "set");
  const op_dat dat = op_decl_dat<double>(set, 1, nullptr, "dat");
  double value = 0;
  error_text(ErrorCode::bad_handle, [&] { op_decl_dat<double>(old_set, 1, nullptr, "dat"); });
  error_text(ErrorCode::bad_handle, [&] { op_fetch_data(old_dat, &value); });
  error_text(ErrorCode::bad_handle,
             [&] { op_par_loop(old_kernel, "loop", set, op_arg_dat(dat, OP_WRITE)); });
  op_exit();
}

OP_KERNEL(calls_library, (double* a), { *a = static_cast<double>(op_get_size(nullptr)); });
OP_KERNEL(throws, (double* a), {
  if (*a == 0) throw std::runtime_error("no pressure");
});

TEST(Session, AKernelThatCallsTheLibraryIsAnError) {
  const Variable jit("OP2_JIT", "off");
  op_init(0, nullptr, 0);
  const op_set set = op_decl_set(1, "set");
  op_par_loop(calls_library, "loop", set,
              op_arg_dat(op_decl_dat<double>(set, 1, nullptr, "dat"), OP_WRITE));
  error_text(ErrorCode::inside_kernel, [] { op_flush(); });
  op_exit();
}

TEST(Session, WhatAHostFunctionThrowsReachesTheCaller) {
  const Variable jit("OP2_JIT", "off");
  op_init(0, nullptr, 0);
  const op_set set = op_decl_set(1, "set");
  op_par_loop(throws, "loop", set, op_arg_dat(op_decl_dat<double>(set, 1, nullptr, "dat"), OP_RW));
  EXPECT_THROW(op_flush(), std::runtime_error);
  EXPECT_THAT(error_text(ErrorCode::poisoned, [] { op_flush(); }), HasSubstr("no pressure"));
  op_exit();
}

TEST(Session, TheCauseIsSaidBeforeTheLoopsThatAreDiscarded) {
  const Variable jit("OP2_JIT", "require");
  op2::test::StderrCapture captured;
  op_init(0, nullptr, 0);
  const op_set set = op_decl_set(1, "set");
  const op_dat dat = op_decl_dat<double>(set, 1, nullptr, "dat");
  const op_kernel wrong = op_decl_kernel("wrong", "void wrong(double* a) { *a = b; }");
  for (int k = 0; k < 3; ++k) op_par_loop(wrong, "wrong", set, op_arg_dat(dat, OP_RW));
  EXPECT_THAT(error_text(ErrorCode::unknown_symbol, [] { op_flush(); }),
              testing::EndsWith("\nqueued loops that are discarded: 3"));
  EXPECT_EQ(captured.news(), "");
  op_exit();
}

TEST(Session, WhatAHostFunctionThrowsIsLoggedWithTheLoopsThatAreDiscarded) {
  const Variable jit("OP2_JIT", "off");
  op2::test::StderrCapture captured;
  op_init(0, nullptr, 0);
  const op_set set = op_decl_set(1, "set");
  op_par_loop(throws, "loop", set, op_arg_dat(op_decl_dat<double>(set, 1, nullptr, "dat"), OP_RW));
  EXPECT_THROW(op_flush(), std::runtime_error);
  EXPECT_THAT(captured.news(), testing::ContainsRegex("no pressure.*\nqueued loops.*: 1\n"));
  op_exit();
}

double of_program(double a) {
  return a;
}
OP_KERNEL(calls_program, (double* a), {  // a comment
  *a = of_program(*a);
});

TEST(Session, AnErrorInOpKernelPointsToTheLineOfTheProgram) {
  const int line = __LINE__ - 4;
  const Variable jit("OP2_JIT", "require");
  op_init(0, nullptr, 0);
  const op_set set = op_decl_set(1, "set");
  op_par_loop(calls_program, "loop", set,
              op_arg_dat(op_decl_dat<double>(set, 1, nullptr, "dat"), OP_RW));
  EXPECT_THAT(error_text(ErrorCode::unknown_symbol, [] { op_flush(); }),
              HasSubstr("session_test.cpp:" + std::to_string(line) +
                        ":8: error: use of undeclared identifier 'of_program'\n"
                        "  *a = of_program(*a);\n       ^"));
  op_exit();
}

double step = 1;
OP_KERNEL(advance, (double* a), { *a += step; });

TEST(Session, AHostFunctionSeesTheConstantAsItWasAtTheCall) {
  const Variable jit("OP2_JIT", "off");
  step = 1;
  op_init(0, nullptr, 0);
  const op_set set = op_decl_set(1, "set");
  const op_dat dat = op_decl_dat<double>(set, 1, nullptr, "dat");
  op_decl_const(1, &step, "step");
  op_par_loop(advance, "advance", set, op_arg_dat(dat, OP_RW));
  step = 100;
  op_decl_const(1, &step, "step");
  op_par_loop(advance, "advance", set, op_arg_dat(dat, OP_RW));
  double value = 0;
  op_fetch_data(dat, &value);
  EXPECT_EQ(value, 101);
  op_exit();
}

TEST(Session, CopiedGlobalsForceAFlushBeforeTheyFillMemory) {
  const Variable jit("OP2_JIT", "off"), queue("OP2_DEBUG", "queue_max=4096");
  op_init(0, nullptr, 0);
  const op_set set = op_decl_set(1, "set");
  const op_dat dat = op_decl_dat<double>(set, 1, nullptr, "dat");
  const op_kernel kernel = add_first;
  std::vector<double> many(8192, 0.0);
  for (int k = 0; k < 2000; ++k) {
    many[0] = k;
    op_par_loop(kernel, "add_first", set, op_arg_gbl(many.data(), 8192, "double", OP_READ),
                op_arg_dat(dat, OP_RW));
  }
  double value = 0;
  op_fetch_data(dat, &value);
  EXPECT_EQ(value, 1999.0 * 2000 / 2);
  op_exit();
}

volatile std::sig_atomic_t signal_thread = 0;

TEST(Session, WorkersTakeNoSignals) {
  const Variable threads("OP2_THREADS", "4");
  op_init(0, nullptr, 0);
  std::signal(SIGUSR1, [](int) { signal_thread = static_cast<int>(gettid()); });
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &one, &before);
  kill(getpid(), SIGUSR1);
  usleep(20'000);
  EXPECT_EQ(signal_thread, 0) << "a worker took it";
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(signal_thread, static_cast<int>(gettid()));
  std::signal(SIGUSR1, SIG_DFL);
  op_exit();
}

TEST(Session, PrintingNeedsNoSession) {
  testing::internal::CaptureStdout();
  op_printf("%d cells\n", 12);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "12 cells\n");
}

TEST(Session, AnotherThreadIsRefused) {
  op_init(0, nullptr, 0);
  std::thread([] { error_text(ErrorCode::wrong_thread, [] { op_decl_set(1, "set"); }); }).join();
  op_exit();
}

TEST(Session, TheChildOfAForkIsRefused) {
  op_init(0, nullptr, 0);
  const pid_t child = fork();
  if (child == 0) {
    try {
      op_decl_set(1, "set");
    } catch (const op2::Error& error) {
      _exit(error.code() == ErrorCode::wrong_process ? 0 : 2);
    }
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  op_exit();
}

TEST(Session, TheChildOfAForkMayStartANewSession) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer allows no threads in the child of a fork";
#endif
  const Variable jit("OP2_JIT", "off");
  op_init(0, nullptr, 0);
  const pid_t child = fork();
  if (child == 0) {
    op_init(0, nullptr, 0);
    const bool works = op_get_size(op_decl_set(5, "set")) == 5;
    op_exit();
    _exit(works ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  op_exit();
}

TEST(Session, AnErrorAtTheEndStillLeavesTheReports) {
  const op2::test::TemporaryDirectory folder;
  const std::string table = folder.path() / "loops.csv";
  const Variable timing("OP2_TIMING", table.c_str());
  op_init(0, nullptr, 0);
  const op_set set = op_decl_set(1, "set");
  const op_dat dat = op_decl_dat<double>(set, 1, nullptr, "dat");
  op_par_loop(set_one, "before", set, op_arg_dat(dat, OP_RW));
  op_flush();
  op_par_loop(op_decl_kernel("broken", "void broken(double*) { oops }"), "broken", set,
              op_arg_dat(dat, OP_RW));
  EXPECT_THROW(op_exit(), op2::Error);
  EXPECT_TRUE(std::filesystem::exists(table));
  error_text(ErrorCode::not_initialised, [] { op_flush(); });
}

TEST(Session, AReportThatCannotBeWrittenIsAnErrorAtTheBeginning) {
  for (const char* variable : {"OP2_TIMING", "OP2_TRACE", "OP2_MODEL"}) {
    const Variable report(variable, "/proc/report.json");  // a folder in which nobody makes files
    EXPECT_THAT(error_text(ErrorCode::io_failure, [] { op_init(0, nullptr, 0); }),
                HasSubstr(std::string("the report cannot be written: ") + variable +
                          "=/proc/report.json, cannot create '/proc/report.json'"));
  }
}

TEST(Session, TheFileOfAReportIsUnchangedUntilTheEnd) {
  const op2::test::TemporaryDirectory folder;
  const std::string table = folder / "loops.csv";
  std::ofstream(table) << "before";
  const Variable timing("OP2_TIMING", table.c_str());
  op_init(0, nullptr, 0);
  EXPECT_EQ(std::filesystem::file_size(table), 6U);
  EXPECT_EQ(folder.file_count(), 1U);
  op_exit();
  EXPECT_GT(std::filesystem::file_size(table), 6U);
}

/// Opening one would wait for the other end.
TEST(Session, AFifoInPlaceOfAFileIsAnErrorAtOnce) {
  const op2::test::TemporaryDirectory folder;
  const std::string fifo = folder / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const char* variable : {"OP2_TIMING", "OP2_TRACE"}) {
    const Variable report(variable, fifo.c_str());
    EXPECT_THAT(error_text(ErrorCode::io_failure, [] { op_init(0, nullptr, 0); }),
                AllOf(HasSubstr(std::string(variable) + "=" + fifo), HasSubstr("it is a FIFO")));
  }
  op_init(0, nullptr, 0);
  EXPECT_THAT(error_text(ErrorCode::io_failure, [&] { op_decl_kernel_file("k", fifo.c_str()); }),
              HasSubstr("it is a FIFO, not a regular file"));
  const op_dat dat = op_decl_dat<double>(op_decl_set(1, "set"), 1, nullptr, "dat");
  error_text(ErrorCode::io_failure, [&] { op_print_dat_to_txtfile(dat, fifo.c_str()); });
  op_exit();
}

void end_with_queued_loop(int code) {
  op_init(0, nullptr, 1);
  const op_set set = op_decl_set(1, "set");
  op_par_loop(set_one, "set_one", set,
              op_arg_dat(op_decl_dat<double>(set, 1, nullptr, "dat"), OP_WRITE));
  std::exit(code);
}

TEST(SessionDeathTest, AProgramThatForgetsOpExitFailsAndSaysWhatWasLost) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_with_queued_loop(0), testing::ExitedWithCode(EXIT_FAILURE),
              "queued loops were never executed: 1");
}

/// As one does that has caught an error and shown it.
TEST(SessionDeathTest, AProgramThatEndsWithAFailureIsNotToldOfMore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_with_queued_loop(3), testing::ExitedWithCode(3),
              testing::Not(HasSubstr("never executed")));
}

void ask_for_help() {
  char program[] = "program", help[] = "--op2-help";
  char* arguments[] = {program, help, nullptr};
  dup2(STDERR_FILENO, STDOUT_FILENO);
  op_init(2, arguments, 0);
}

TEST(SessionDeathTest, HelpShowsTheSwitchesAndEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(ask_for_help(), testing::ExitedWithCode(0), "OP2_THREADS");
}

void ask_for_version() {
  char program[] = "program", version[] = "--op2-version";
  char* arguments[] = {program, version, nullptr};
  dup2(STDERR_FILENO, STDOUT_FILENO);
  op_init(2, arguments, 0);
}

TEST(SessionDeathTest, TheVersionComesWithWhatIsBuiltInAndEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      ask_for_version(), testing::ExitedWithCode(0),
      "libop2 " OP2_VERSION_STRING
      " .*\n  LLVM  .*\n  HWLOC  .*\n  MPI  *(no|[0-9.]+ [A-Z].* [0-9.]+)\n  HDF5 .*\n  SCOTCH ");
}

TEST(Session, TheVersionOfTheLibraryIsThatOfItsHeaders) {
  EXPECT_STREQ(op2_version(), OP2_VERSION_STRING);
  std::string numbers;
  for (const int part : {OP2_VERSION / 10000, OP2_VERSION / 100 % 100, OP2_VERSION % 100})
    numbers += (numbers.empty() ? "" : ".") + std::to_string(part);
  EXPECT_EQ(numbers, OP2_VERSION_STRING);
}

/// As the version says, which the test above has read.
TEST(Session, PartsOfTheLibraryAreKnownBeforeItRuns) {
  EXPECT_TRUE(op_has("cuda"));
  EXPECT_EQ(op_has("hdf5"), OP2_TEST_HDF5 != 0);
  EXPECT_EQ(op_has("HDF5"), op_has("hdf5"));
  EXPECT_EQ(op_has("mpi"), OP2_TEST_MPI != 0);
  EXPECT_EQ(op_has("llvm"), OP2_TEST_LLVM != 0);
  EXPECT_EQ(op_has("ptscotch"), OP2_TEST_PTSCOTCH != 0);
  EXPECT_LE(op_has("parallel_hdf5"), op_has("hdf5"));
  for (const char* part : {"scotch", "hwloc"}) EXPECT_NO_THROW(op_has(part)) << part;
}

TEST(Session, PartsThatTheLibraryDoesNotKnowAreErrors) {
  for (const char* part : {"netcdf", "", "hdf", static_cast<const char*>(nullptr)})
    EXPECT_THAT(error_text(ErrorCode::bad_option, [&] { op_has(part); }),
                HasSubstr("; use one of cuda, hdf5, "));
}

TEST(Session, SeveralProcessesThatDoNotFindEachOtherAreRefused) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "Open MPI leaves memory behind";
#endif
  const Variable ranks("OMPI_COMM_WORLD_SIZE", "4");
  EXPECT_THAT(error_text(ErrorCode::communication_failure, [] { op_init(0, nullptr, 0); }),
              HasSubstr("mpirun of Open MPI started 4 processes (OMPI_COMM_WORLD_SIZE=4), but"));
}

TEST(Session, EachWorksAloneIfMpiIsSwitchedOff) {
  const Variable ranks("OMPI_COMM_WORLD_SIZE", "4"), off("OP2_MPI", "off");
  op_init(0, nullptr, 0);
  EXPECT_EQ(op_ranks(), 1);
  op_exit();
  EXPECT_THAT(error_text(ErrorCode::bad_option, [] { op_mpi_init(0, nullptr, 0, 0); }),
              HasSubstr("OP2_MPI"));
}

TEST(Session, AFailedFlushEndsTheSessionAndTouchesNoUserMemory) {
  op_init(0, nullptr, 0);
  const op_set set = op_decl_set(2, "set");
  const op_dat dat = op_decl_dat<double>(set, 1, nullptr, "dat");
  const op_kernel broken =
      op_decl_kernel("broken", "void broken(const double* a, double* sum) { *sum += *a }");
  double sum = 42;
  error_text(ErrorCode::kernel_source, [&] {
    op_par_loop(broken, "broken", set, op_arg_dat(dat, OP_READ),
                op_arg_gbl(&sum, 1, "double", OP_INC));
  });
  EXPECT_EQ(sum, 42);
  double values[2] = {7, 7};
  EXPECT_THAT(error_text(ErrorCode::poisoned, [&] { op_fetch_data(dat, values); }),
              HasSubstr("broken"));
  EXPECT_EQ(values[0], 7);
  op_exit();
  op_init(0, nullptr, 0);
  EXPECT_EQ(op_get_size(op_decl_set(3, "again")), 3);
  op_exit();
}

TEST(Session, WhatPlansOfALargeMeshNeedIsShown) {
  const Variable level("OP2_LOG", "info"), patience("OP2_DEBUG", "patience=1"),
      tile("OP2_TILE", "64"), order("OP2_RENUMBER", "on");
  op2::test::StderrCapture captured;
  op_init(0, nullptr, 0);
  constexpr int size = 1'000'000;
  std::vector<int> ends(std::size_t{2} * size);
  for (std::size_t k = 0; k < ends.size(); ++k) ends[k] = static_cast<int>(k * 7919 % size);
  const op_set cells = op_decl_set(size, "cells"), edges = op_decl_set(size, "edges");
  const op_map map = op_decl_map(edges, cells, 2, ends, "ends");
  const op_dat dat = op_decl_dat<double>(cells, 1, nullptr, "dat");
  for (int k = 0; k < 2; ++k)
    op_par_loop(add_one, "add_one", edges, op_arg_dat(dat, 0, map, OP_INC),
                op_arg_dat(dat, 1, map, OP_INC));
  op_flush();
  op_decl_set(1, "more");
  op_exit();
  EXPECT_THAT(captured.news(),
              AllOf(HasSubstr("op2 info: ordering rows for locality and halos, 0 s so far"),
                    HasSubstr("op2 info: ordering rows as declared, 0 s so far"),
                    HasSubstr("op2 info: preparing a sequence of 2 loops, 0 s so far")));
}

TEST(Session, WithoutJitAKernelThatIsOnlyTextIsAnError) {
  const Variable jit("OP2_JIT", "off");
  op_init(0, nullptr, 0);
  const op_set set = op_decl_set(1, "set");
  const op_dat dat = op_decl_dat<double>(set, 1, nullptr, "dat");
  op_par_loop(op_decl_kernel("text", "void text(double* a) { *a = 1; }"), "text_loop", set,
              op_arg_dat(dat, OP_WRITE));
  const std::string text = error_text(ErrorCode::bad_option, [] { op_flush(); });
  EXPECT_THAT(text, HasSubstr("'text_loop'"));
  EXPECT_THAT(text, HasSubstr("session_test.cpp"));
  op_exit();
}

TEST(Session, AMillionLoopsDoNotGrowMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer keeps freed memory";
#endif
  const Variable jit("OP2_JIT", "off");
  op_init(0, nullptr, 0);
  const op_set set = op_decl_set(1, "set");
  const op_dat dat = op_decl_dat<double>(set, 1, nullptr, "dat");
  const auto resident_kb = [] {
    long pages = 0, resident = 0;
    FILE* file = std::fopen("/proc/self/statm", "r");
    EXPECT_EQ(std::fscanf(file, "%ld %ld", &pages, &resident), 2);
    std::fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
  };
  const auto run = [&](int loops) {
    for (int k = 0; k < loops; ++k) op_par_loop(set_one, "set_one", set, op_arg_dat(dat, OP_RW));
    op_flush();
  };
  run(100'000);
  const long before = resident_kb();
  run(1'000'000);
  EXPECT_LT(resident_kb() - before, 1024);
  op_exit();
}

struct BadValue {
  const char *name, *value, *words;
};
class BadValues : public testing::TestWithParam<BadValue> {};

TEST_P(BadValues, AreRefusedWithWhatIsAccepted) {
  const Variable variable(GetParam().name, GetParam().value);
  const std::string text = error_text(ErrorCode::bad_option, [] { op_init(0, nullptr, 0); });
  EXPECT_THAT(text, HasSubstr(std::string(GetParam().name) + "=" + GetParam().value));
  EXPECT_THAT(text, HasSubstr(GetParam().words));
}

INSTANTIATE_TEST_SUITE_P(Switches, BadValues,
                         testing::Values(BadValue{"OP2_THREADS", "many", "1 to 4096"},
                                         BadValue{"OP2_THREADS", "0", "1 to 4096"},
                                         BadValue{"OP2_THREADS", "2x", "1 to 4096"},
                                         BadValue{"OP2_TARGET", "gpu", "cpu, cuda, reference"},
                                         BadValue{"OP2_JIT", "maybe", "on, off, require"},
                                         BadValue{"OP2_CACHE", "yes", "rw, ro, off"},
                                         BadValue{"OP2_DEBUG", "queue_max=-1", "1 to 4096"},
                                         BadValue{"OP2_LOG", "loud", "warning"},
                                         BadValue{"OP2_DUMP", "order,tree", "schedule"},
                                         BadValue{"OP2_CHECK", "acces",
                                                  "'acces'; use none, or some of: access, bits, "
                                                  "finite, pointers; did you mean 'access'?"},
                                         BadValue{"OP2_DEBUG", "all", "keep_dead"}));

TEST(Session, AnUnknownVariableIsReported) {
  const Variable variable("OP2_CHIAN", "on");
  testing::internal::CaptureStderr();
  op_init(0, nullptr, 1);
  op_exit();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("OP2_CHIAN is not a switch of libop2; --op2-help lists them; did you mean "
                        "'OP2_CHAIN'?"));
}

}  // namespace
