// SPDX-License-Identifier: BSD-3-Clause
// Globals that get the value of one element, on several ranks, one of which has no elements.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include <op2/op2.hpp>

namespace op2 {
namespace {

OP_KERNEL(lowest, (const double* x, const int* number, double* least, int* where), {
  if (*x < *least) {
    *least = *x;
    *where = *number;
  }
});
OP_KERNEL(fill, (int* to, const int* value), { *to = *value; });
OP_KERNEL(set_all, (const int* value, int* global), { *global = *value; });

struct PayloadOnRanks : testing::TestWithParam<const char*> {
  static constexpr int size = 1200;
  std::vector<double> all;
  op_set set;
  op_dat x;

  /// Elements are scattered over the ranks; rank 0 declares none.
  PayloadOnRanks() {
    setenv("OP2_JIT", GetParam(), 1);
    op_init(0, nullptr, 0);
    for (int k = 0; k < size; ++k) all.push_back((k * 7919 + 13) % 100);
    const int ranks = std::max(op_ranks() - 1, 1), rank = op_ranks() == 1 ? 0 : op_rank() - 1;
    const int first = rank < 0 ? 0 : rank * size / ranks,
              last = rank < 0 ? 0 : (rank + 1) * size / ranks;
    set = op_decl_set(last - first, "set");
    x = op_decl_dat(set, 1, all.data() + first, "x");
  }
  ~PayloadOnRanks() override {
    op_exit();
    unsetenv("OP2_JIT");
  }
};

TEST_P(PayloadOnRanks, TheWinnerHasTheLowestNumberOfThoseThatAreEqual) {
  for (const char* way : {"", "RANDOM"}) {
    if (*way != '\0') op_partition(way, "", set, nullptr, nullptr);
    double least = 1e9;
    int where = -1;
    op_par_loop(lowest, "lowest", set, op_arg_dat(x, OP_READ), op_arg_idx(-1, OP_ID),
                op_arg_gbl(&least, 1, "double", OP_MIN), op_arg_info(&where, 1, "int", 2));
    EXPECT_EQ(least, 0);
    EXPECT_EQ(where, std::find(all.begin(), all.end(), 0.0) - all.begin());
  }
}

TEST_P(PayloadOnRanks, ThreadsAndChainsDoNotChangeTheWinner) {
  op_partition("RANDOM", "", set, nullptr, nullptr);
  const int zero = 0;
  const op_dat numbers = op_decl_dat<int>(set, 1, nullptr, "numbers");
  op_par_loop(fill, "fill", set, op_arg_dat(numbers, OP_WRITE),
              op_arg_gbl(&zero, 1, "int", OP_READ));
  double least = 5;
  int where = -1;
  op_par_loop(lowest, "lowest", set, op_arg_dat(x, OP_READ), op_arg_idx(-1, OP_ID),
              op_arg_gbl(&least, 1, "double", OP_MIN), op_arg_info(&where, 1, "int", 2));
  EXPECT_EQ(where, std::find(all.begin(), all.end(), least) - all.begin());
}

TEST_P(PayloadOnRanks, WhatNobodySetsStaysAsItWas) {
  double least = -1;
  int where = 42;
  op_par_loop(lowest, "lowest", set, op_arg_dat(x, OP_READ), op_arg_idx(-1, OP_ID),
              op_arg_gbl(&least, 1, "double", OP_MIN), op_arg_info(&where, 1, "int", 2));
  EXPECT_EQ(least, -1);
  EXPECT_EQ(where, 42);
}

TEST_P(PayloadOnRanks, AWrittenGlobalIsTheSameOnAllRanks) {
  const int value = 42;
  int global = 7;
  const op_dat values = op_decl_dat<int>(set, 1, nullptr, "values");
  op_par_loop(fill, "fill", set, op_arg_dat(values, OP_WRITE),
              op_arg_gbl(&value, 1, "int", OP_READ));
  op_par_loop(set_all, "set_all", set, op_arg_dat(values, OP_READ),
              op_arg_gbl(&global, 1, "int", OP_WRITE));
  EXPECT_EQ(global, 42);
}

INSTANTIATE_TEST_SUITE_P(By, PayloadOnRanks, testing::Values("on", "off"));

}  // namespace
}  // namespace op2
