// SPDX-License-Identifier: BSD-3-Clause
// Programs that enable floating-point traps: what no element computes does not end them.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/temporary_directory.hpp>

namespace op2 {
namespace {

OP_KERNEL(invert, (const double* x, double* y), {
  if (*x != 0)
    *y = 1 / *x;
  else
    *y = 0;
});
OP_KERNEL(root, (const double* x, double* y), { *y = *x > 0 ? std::sqrt(*x) : -1.0; });
OP_KERNEL(both, (const double* x, double* y), {
  double t = 0;
  if (*x > 0) {
    t = 1 / *x;
    t = t * t + std::sqrt(*x);
  } else if (*x < 0) {
    t = -*x;
  }
  *y = t;
});
OP_KERNEL(convert, (const double* x, double* y), {
  const double big = 1e15 * *x;
  *y = big < 1e9 && big > -1e9 ? static_cast<int>(big) : 7;
});
OP_KERNEL(ratio, (const double* a, const double* b, double* ra, double* rb), {
  double f = 0;
  if (*a > 0 && *b > 0) f = *a / *b;
  *ra += f;
  *rb -= f;
});
OP_KERNEL(twice, (const double* x, double* y), { *y = 2 * *x + 1; });
OP_KERNEL(divide, (const double* x, double* y), { *y = 1 / *x; });

constexpr int traps = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;
constexpr int size = 1003;

/// Most processors of Arm have none, and emulators neither.
bool has_traps() {
  const bool has = feenableexcept(traps) >= 0;
  fedisableexcept(FE_ALL_EXCEPT);
  return has;
}

struct FloatTraps : testing::TestWithParam<const char*> {
  test::TemporaryDirectory folder;
  std::string table = (folder.path() / "table.csv").string();
  std::vector<double> x;
  op_set cells, edges;
  op_map ends;
  op_dat given, result;

  void SetUp() override {
    if (!has_traps()) GTEST_SKIP() << "this processor has no floating-point traps";
    setenv("OP2_THREADS", "2", 1);
    setenv("OP2_TIMING", table.c_str(), 1);
    const bool before = std::string(GetParam()) == "before";
    if (before) feenableexcept(traps);
    op_init(0, nullptr, 0);
    feenableexcept(traps);
    std::vector<int> targets;
    for (int k = 0; k < size; ++k) {
      x.push_back(k % 3 == 0 ? 0.0 : k % 3 == 1 ? k * 0.25 : k * -0.5);
      targets.insert(targets.end(), {k, (7 * k + 1) % size});
    }
    cells = op_decl_set(size, "cells");
    edges = op_decl_set(size, "edges");
    ends = op_decl_map(edges, cells, 2, targets, "ends");
    given = op_decl_dat(cells, 1, x, "x");
    result = op_decl_dat<double>(cells, 1, nullptr, "y");
  }
  void TearDown() override {
    fedisableexcept(FE_ALL_EXCEPT);
    unsetenv("OP2_THREADS");
    unsetenv("OP2_TIMING");
  }

  void expect_host_values(op_kernel kernel, void (*host)(const double*, double*)) {
    op_par_loop(kernel, kernel->name, cells, op_arg_dat(given, OP_READ),
                op_arg_dat(result, OP_WRITE));
    std::vector<double> found(size), expected(size);
    op_fetch_data(result, found);
    for (std::size_t k = 0; k < size; ++k) host(&x[k], &expected[k]);
    EXPECT_EQ(found, expected) << kernel->name;
  }
};

TEST_P(FloatTraps, DoNotSeeWhatNoElementComputes) {
  fedisableexcept(FE_ALL_EXCEPT);
  expect_host_values(invert, invert_host);  // other code, which stays in memory and on disk
  feenableexcept(traps);
  expect_host_values(invert, invert_host);
  expect_host_values(root, root_host);
  expect_host_values(both, both_host);
  expect_host_values(convert, convert_host);
  op_par_loop(ratio, "ratio", edges, op_arg_dat(given, 0, ends, OP_READ),
              op_arg_dat(given, 1, ends, OP_READ), op_arg_dat(result, 0, ends, OP_INC),
              op_arg_dat(result, 1, ends, OP_INC));
  op_flush();
  op_exit();
}

TEST_P(FloatTraps, CountWhenLoopsRunNotWhenTheyAreCalled) {
  fedisableexcept(FE_ALL_EXCEPT);
  op_par_loop(invert, "invert", cells, op_arg_dat(given, OP_READ), op_arg_dat(result, OP_WRITE));
  feenableexcept(traps);
  std::vector<double> found(size);
  op_fetch_data(result, found);
  EXPECT_EQ(found[3], 0);
  op_exit();
}

TEST_P(FloatTraps, LeaveVectorsToKernelsThatComputeTheSameForAll) {
  expect_host_values(twice, twice_host);
  op_exit();
  std::stringstream text;
  text << std::ifstream(table).rdbuf();
  EXPECT_THAT(text.str(), testing::ContainsRegex("twice.*SIMD"));
}

/// Of 1 / x in the last elements, which belong to the last thread.
void divide_by_zero() {
  setenv("OP2_THREADS", "2", 1);
  op_init(0, nullptr, 0);
  std::vector<double> x(100000, 1.0);
  x.back() = 0;
  op_set cells = op_decl_set(static_cast<int>(x.size()), "cells");
  op_dat given = op_decl_dat(cells, 1, x, "x"), y = op_decl_dat<double>(cells, 1, nullptr, "y");
  feenableexcept(traps);
  op_par_loop(divide, "divide", cells, op_arg_dat(given, OP_READ), op_arg_dat(y, OP_WRITE));
  op_exit();
}

TEST(FloatTrapsOfThreads, EndTheProgramWhereAnElementDividesByZero) {
  if (!has_traps()) GTEST_SKIP() << "this processor has no floating-point traps";
  EXPECT_EXIT(divide_by_zero(), testing::KilledBySignal(SIGFPE), "");
}

INSTANTIATE_TEST_SUITE_P(Enabled, FloatTraps, testing::Values("before", "after"),
                         [](const auto& when) { return std::string(when.param); });

}  // namespace
}  // namespace op2
