// SPDX-License-Identifier: BSD-3-Clause
// What executes queued loops and what does not, one test for each force point. The kernel's host
// function counts its calls, so that the tests see when it runs.
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <op2/op2.hpp>

#include <support/temporary_directory.hpp>

namespace {

int executed = 0;
double factor = 2;

OP_KERNEL(count, (double* a), {
  ++executed;
  *a += 2;
});
OP_KERNEL(sum, (const double* a, double* total), { *total += *a; });

struct ForcePoints : testing::Test {
  void SetUp() override {
    setenv("OP2_JIT", "off", 1);
    op_init(0, nullptr, 1);
    executed = 0;
    set = op_decl_set(3, "set");
    dat = op_decl_dat<double>(set, 1, nullptr, "dat");
    op_decl_const(1, &factor, "factor");
  }
  void TearDown() override {
    op_exit();
    unsetenv("OP2_JIT");
  }
  void queue_loop() { op_par_loop(count, "count", set, op_arg_dat(dat, OP_RW)); }
  /// True if `act` executes the loop that is queued before it.
  bool forces(const std::function<void()>& act) {
    queue_loop();
    const int before = executed;
    act();
    return executed == before + 3;
  }
  op_set set{};
  op_dat dat{};
};

TEST_F(ForcePoints, ALoopAloneIsNotExecuted) {
  EXPECT_FALSE(forces([] {}));
}
TEST_F(ForcePoints, FetchingADat) {
  double values[3];
  EXPECT_TRUE(forces([&] { op_fetch_data(dat, values); }));
  EXPECT_EQ(values[2], 2);
}
TEST_F(ForcePoints, FetchingARangeOfADat) {
  double value = 0;
  EXPECT_TRUE(forces([&] { op_fetch_data_idx(dat, &value, 1, 1); }));
  EXPECT_EQ(value, 2);
}
TEST_F(ForcePoints, FetchingAGlobal) {
  double value = 1;
  const op_global global = op_decl_global(1, &value, "global");
  EXPECT_TRUE(forces([&] { op_fetch_global(global, &value); }));
}
TEST_F(ForcePoints, ReducingIntoARawPointer) {
  double total = 10;
  EXPECT_TRUE(forces([&] {
    op_par_loop(sum, "sum", set, op_arg_dat(dat, OP_READ), op_arg_gbl(&total, 1, "double", OP_INC));
  }));
  EXPECT_EQ(total, 16);
}
TEST_F(ForcePoints, RedeclaringAConstant) {
  EXPECT_TRUE(forces([] { op_decl_const(1, &factor, "factor"); }));
}
TEST_F(ForcePoints, Timers) {
  double cpu, wall;
  EXPECT_TRUE(forces([&] { op_timers(&cpu, &wall); }));
}
TEST_F(ForcePoints, Partitioning) {
  EXPECT_TRUE(forces([&] { op_partition("PTSCOTCH", "KWAY", set, OP_ID, dat); }));
}
TEST_F(ForcePoints, Flushing) {
  EXPECT_TRUE(forces([] { op_flush(); }));
}
TEST_F(ForcePoints, TheTimingTable) {
  testing::internal::CaptureStdout();
  EXPECT_TRUE(forces([] { op_timing_output(); }));
  EXPECT_NE(testing::internal::GetCapturedStdout().find("count"), std::string::npos);
}
TEST_F(ForcePoints, WritingFiles) {
  const op2::test::TemporaryDirectory folder;
  EXPECT_TRUE(forces([&] { op_print_dat_to_txtfile(dat, (folder.path() / "a.txt").c_str()); }));
  EXPECT_TRUE(forces([&] { op_print_dat_to_binfile(dat, (folder.path() / "a.bin").c_str()); }));
}
TEST_F(ForcePoints, WritingAGrid) {
  const op2::test::TemporaryDirectory folder;
  const int ends[] = {0, 1, 1, 2, 2, 0};
  const op_set lines = op_decl_set(3, "lines");
  const op_map map = op_decl_map(lines, set, 2, ends, "ends");
  const op_dat x = op_decl_dat<double>(set, 2, nullptr, "x");
  EXPECT_TRUE(forces([&] { op_write_vtu((folder.path() / "a.vtu").c_str(), map, x, {}); }));
}
TEST_F(ForcePoints, AQueueFilledByAssignments) {
  const double zero = 0;
  const op_global global = op_decl_global(1, &zero, "global");
  EXPECT_TRUE(forces([&] {
    for (int k = 0; k < 63; ++k) op_set_global(global, &zero);
  }));
}
TEST_F(ForcePoints, TheBoundOfTheQueue) {
  for (int k = 0; k < 63; ++k) queue_loop();
  EXPECT_EQ(executed, 0);
  queue_loop();
  EXPECT_EQ(executed, 64 * 3);
}
TEST_F(ForcePoints, TheEndOfTheSession) {
  EXPECT_TRUE(forces([] { op_exit(); }));
}
TEST_F(ForcePoints, NeitherSettingNorReducingALazyGlobal) {
  const double start = 5;
  const op_global total = op_decl_global(1, &start, "total");
  EXPECT_FALSE(forces([&] {
    op_set_global(total, &start);
    op_par_loop(sum, "sum", set, op_arg_dat(dat, OP_READ), op_arg_gbl(total, OP_INC));
  }));
  double value = 0;
  op_fetch_global(total, &value);
  EXPECT_EQ(value, 11);
}
TEST_F(ForcePoints, NeitherAskingForASizeNorDeclaring) {
  EXPECT_FALSE(forces([&] {
    op_get_size(set);
    op_decl_dat<double>(op_decl_set(2, "more"), 1, nullptr, "more");
  }));
}

OP_KERNEL(add_global, (const double* g, double* a), { *a += *g; });

TEST_F(ForcePoints, AGlobalIsReadAsItWasAtTheCall) {
  double values[3];
  {
    double short_lived = 4;
    op_par_loop(add_global, "add_global", set, op_arg_gbl(&short_lived, 1, "double", OP_READ),
                op_arg_dat(dat, OP_RW));
    short_lived = 1000;
  }
  op_fetch_data(dat, values);
  EXPECT_EQ(values[0], 4);
}

TEST_F(ForcePoints, ALazyGlobalIsReadWithTheValueOfItsPlaceInTheQueue) {
  const double one = 1, hundred = 100;
  const op_global global = op_decl_global(1, &one, "global");
  op_par_loop(add_global, "first", set, op_arg_gbl(global, OP_READ), op_arg_dat(dat, OP_RW));
  op_set_global(global, &hundred);
  op_par_loop(sum, "sum", set, op_arg_dat(dat, OP_READ), op_arg_gbl(global, OP_INC));
  op_par_loop(add_global, "second", set, op_arg_gbl(global, OP_READ), op_arg_dat(dat, OP_RW));
  double values[3];
  op_fetch_data(dat, values);
  EXPECT_EQ(values[1], 1 + 103);
}

TEST_F(ForcePoints, DeclaredArraysMayBeFreedAtOnce) {
  auto values = std::make_unique<std::vector<double>>(3, 7.0);
  const op_dat copy = op_decl_dat(set, 1, values->data(), "copy");
  values.reset();
  double fetched[3];
  op_fetch_data(copy, fetched);
  EXPECT_EQ(fetched[2], 7);
}

TEST_F(ForcePoints, ATemporaryMayBeFreedWhileLoopsArePending) {
  for (int k = 0; k < 5; ++k) {
    const op_dat scratch = op_decl_dat_temp(set, 1, "double", "scratch");
    op_par_loop(count, "count", set, op_arg_dat(scratch, OP_RW));
    double total = 0;
    op_par_loop(sum, "sum", set, op_arg_dat(scratch, OP_READ),
                op_arg_gbl(&total, 1, "double", OP_INC));
    EXPECT_EQ(total, 6) << "a temporary begins with zeros, step " << k;
    op_par_loop(count, "count", set, op_arg_dat(scratch, OP_RW));
    EXPECT_TRUE(op_free_dat_temp(scratch));
    EXPECT_FALSE(op_free_dat_temp(scratch));
  }
  op_flush();
  EXPECT_EQ(executed, 30);
}

OP_KERNEL(look, (const double* a), { executed += *a == 0; });

TEST_F(ForcePoints, ALoopThatWritesNothingRunsAllTheSame) {
  op_par_loop(look, "look", set, op_arg_dat(dat, OP_READ));
  op_flush();
  EXPECT_EQ(executed, 3);
}

OP_KERNEL(overwrite, (double* a), { *a = 9; });

TEST_F(ForcePoints, ALoopRunsIfNothingProvesThatItsResultIsOverwritten) {
  queue_loop();
  op_par_loop(overwrite, "overwrite", set, op_arg_dat(dat, OP_WRITE));
  double values[3];
  op_fetch_data(dat, values);
  EXPECT_EQ(executed, 3);
  EXPECT_EQ(values[0], 9);
}

}  // namespace
