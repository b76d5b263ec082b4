// SPDX-License-Identifier: BSD-3-Clause
// Globals that get the value of one element, on several ranks, one of which has no elements.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/expect_error.hpp>

namespace op2 {
namespace {

OP_KERNEL(lowest, (const double* x, const int* number, double* least, int* where), {
  if (*x < *least) {
    *least = *x;
    *where = *number;
  }
});
OP_KERNEL(fill, (int* to, const int* value), { *to = *value; });
OP_KERNEL(last_of_lowest, (const double* x, const int* number, double* least, int* where), {
  if (*x <= *least) {
    *least = *x;
    *where = *number;
  }
});
OP_KERNEL(highest_of_negative, (const double* x, const int* number, double* most, int* where), {
  if (-*x > *most) {
    *most = -*x;
    *where = *number;
  }
});
/// The first half of 1200 elements writes 42 and false.
OP_KERNEL(write_seven_last,
          (const int* number, double* x, int* counted, int* global, bool* is_last), {
            *x += 1;
            *counted += 1;
            if (*number % 2 == 0) *global = *number < 600 ? 42 : 7;
            *is_last = *number >= 600;
          });
OP_KERNEL(write_and_add,
          (const double* x, const int* number, double* left, double* right, double* total,
           int* global),
          {
            *left += *x;
            *right -= *number;
            *total += *x;
            *global = 7;
          });
OP_KERNEL(set_all, (const int* value, int* global), { *global = *value; });

struct PayloadOnRanks : testing::TestWithParam<const char*> {
  static constexpr int size = 1200;
  std::vector<double> all;
  op_set set;
  op_dat x;
  int global = 7, counted = 0;
  bool is_last = true;

  /// Elements are scattered over the ranks; rank 0 declares none.
  PayloadOnRanks() {
    if (is_reproducible())
      setenv("OP2_REPRODUCIBLE", "on", 1);
    else
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
    unsetenv("OP2_REPRODUCIBLE");
  }

  static bool is_reproducible() { return GetParam() == std::string("reproducible"); }
  /// Of this rank's declaration.
  static int first_element() {
    return op_ranks() == 1 || op_rank() == 0 ? 0 : (op_rank() - 1) * size / (op_ranks() - 1);
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
  const op_dat values = op_decl_dat<int>(set, 1, nullptr, "values");
  op_par_loop(fill, "fill", set, op_arg_dat(values, OP_WRITE),
              op_arg_gbl(&value, 1, "int", OP_READ));
  op_par_loop(set_all, "set_all", set, op_arg_dat(values, OP_READ),
              op_arg_gbl(&global, 1, "int", OP_WRITE));
  EXPECT_EQ(global, 42);
}

/// Also if that is the value before the loop, which nobody but the element itself can tell from
/// doing nothing.
TEST_P(PayloadOnRanks, TheLastElementThatWritesAGlobalDecidesWhateverTheValueBefore) {
  op_partition("BLOCK", "", set, nullptr, nullptr);
  op_par_loop(write_seven_last, "write_seven_last", set, op_arg_idx(-1, OP_ID),
              op_arg_dat(x, OP_RW), op_arg_gbl(&counted, 1, "int", OP_INC),
              op_arg_gbl(&global, 1, "int", OP_WRITE), op_arg_gbl(&is_last, 1, "bool", OP_WRITE));
  EXPECT_EQ(global, 7);
  EXPECT_TRUE(is_last);
  EXPECT_EQ(counted, size);
  std::vector<double> got(size);
  op_fetch_data_idx(x, got.data(), 0, size - 1);
  for (double& value : all) value += 1;
  EXPECT_EQ(got, all);
}

/// Each element is executed once, as far as the program can see, also where the sum of a row is
/// kept apart.
TEST_P(PayloadOnRanks, ElementsThatWriteAGlobalAddOnce) {
  constexpr int targets = size / 2;
  const int ranks = op_ranks(), rank = op_rank();
  const op_set nodes = op_decl_set((rank + 1) * targets / ranks - rank * targets / ranks, "nodes");
  std::vector<int> entries;
  const int before = first_element();
  for (int k = 0; k < set->size; ++k)
    entries.insert(entries.end(), {(before + k) * 7 % targets, (before + k) * 31 % targets});
  const op_map map = op_decl_map(set, nodes, 2, entries.data(), "map");
  const op_dat sum = op_decl_dat<double>(nodes, 1, nullptr, "sum");
  double total = 0;
  op_par_loop(write_and_add, "write_and_add", set, op_arg_dat(x, OP_READ), op_arg_idx(-1, OP_ID),
              op_arg_dat(sum, 0, map, OP_INC), op_arg_dat(sum, 1, map, OP_INC),
              op_arg_gbl(&total, 1, "double", OP_INC), op_arg_gbl(&global, 1, "int", OP_WRITE));
  std::vector<double> got(targets), expected(targets);
  op_fetch_data_idx(sum, got.data(), 0, targets - 1);
  for (int k = 0; k < size; ++k) {
    expected[static_cast<std::size_t>(k * 7 % targets)] += all[static_cast<std::size_t>(k)];
    expected[static_cast<std::size_t>(k * 31 % targets)] -= k;
  }
  EXPECT_EQ(got, expected);
  EXPECT_EQ(total, std::accumulate(all.begin(), all.end(), 0.0));
  EXPECT_EQ(global, 7);
}

/// -0 is less than 0 where ranks compare, and in the reproducible mode within one, too.
TEST_P(PayloadOnRanks, ZerosOfBothSignsAreThoseOfTheirElements) {
  all.assign(size, 1);
  all[3] = all[400] = all[1100] = 0.0;
  all[5] = all[700] = -0.0;
  x = op_decl_dat(set, 1, all.data() + first_element(), "zeros");
  for (const char* way : {"", "BLOCK", "RANDOM"}) {
    if (*way != '\0') op_partition(way, "", set, nullptr, nullptr);
    double least = 1e9, most = -1e9;
    int where = -1, where_most = -1;
    op_par_loop(lowest, "lowest", set, op_arg_dat(x, OP_READ), op_arg_idx(-1, OP_ID),
                op_arg_gbl(&least, 1, "double", OP_MIN), op_arg_info(&where, 1, "int", 2));
    op_par_loop(highest_of_negative, "highest", set, op_arg_dat(x, OP_READ), op_arg_idx(-1, OP_ID),
                op_arg_gbl(&most, 1, "double", OP_MAX), op_arg_info(&where_most, 1, "int", 2));
    const auto sign_of = [&](int k) { return std::signbit(all.at(static_cast<std::size_t>(k))); };
    EXPECT_EQ(std::signbit(least), sign_of(where)) << where;
    EXPECT_NE(std::signbit(most), sign_of(where_most)) << where_most;
    if (!is_reproducible()) continue;  // which one depends on ranks
    EXPECT_EQ(where, 5);
    EXPECT_EQ(where_most, 5);
  }
}

/// The kernel decides which of equal elements counts, but no rank sees all of them.
TEST_P(PayloadOnRanks, KernelsThatChooseAmongEqualElementsAreRefusedInTheReproducibleMode) {
  double least = 1e9;
  int where = -1;
  const auto run = [&] {
    op_par_loop(last_of_lowest, "last_of_lowest", set, op_arg_dat(x, OP_READ),
                op_arg_idx(-1, OP_ID), op_arg_gbl(&least, 1, "double", OP_MIN),
                op_arg_info(&where, 1, "int", 2));
  };
  if (is_reproducible() && op_ranks() > 1) {
    EXPECT_THAT(test::error_text(ErrorCode::order_dependent, run),
                testing::AllOf(testing::HasSubstr("loop 'last_of_lowest'"),
                               testing::HasSubstr("if (x < *extreme)")));
    return;
  }
  run();
  EXPECT_EQ(least, 0);
  const auto last = size - 1 - (std::find(all.rbegin(), all.rend(), 0.0) - all.rbegin());
  EXPECT_TRUE(op_ranks() > 1 || where == last) << where;
}

INSTANTIATE_TEST_SUITE_P(By, PayloadOnRanks, testing::Values("on", "off", "reproducible"));

}  // namespace
}  // namespace op2
