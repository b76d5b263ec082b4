// SPDX-License-Identifier: BSD-3-Clause
// OP2_CHECK=bits names the first loop whose bits depend on how it is executed.
#include <cstdlib>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/expect_error.hpp>

namespace op2 {
namespace {

using test::error_text;
using testing::AllOf;
using testing::HasSubstr;

OP_KERNEL(scale, (double* x), { *x *= 1.0 / 3; });
/// With `offset` -1 each element uses the row before its own, which it does not name.
OP_KERNEL(add_neighbour, (const int* offset, double* x), { *x += 0.5 * x[*offset]; });
/// The rows end the same in any order, the sum does not.
OP_KERNEL(sum_of_neighbours, (const int* offset, double* x, double* sum), {
  *sum += x[*offset];
  *x += 1;
});
OP_KERNEL(add_up, (const double* x, double* sum), { *sum += *x; });
OP_KERNEL(add_to_ends, (const double* x, double* left, double* right), {
  *left += *x;
  *right -= *x / 3;
});

struct BitsCheck : testing::Test {
  static constexpr int size = 4000;
  op_set cells;
  op_dat x, offset;

  void start(const char* check) {
    setenv("OP2_CHECK", check, 1);
    setenv("OP2_REPRODUCIBLE", "on", 1);
    setenv("OP2_SIMD", "on", 1);
    setenv("OP2_THREADS", "2", 1);
    op_init(0, nullptr, 0);
    cells = op_decl_set(size, "cells");
    std::vector<double> values(size);
    for (int k = 0; k < size; ++k) values[static_cast<std::size_t>(k)] = 1.0 / (k + 1);
    x = op_decl_dat(cells, 1, "double", values.data(), "x");
    std::vector<int> offsets(size, -1);
    offsets.front() = 0;
    offset = op_decl_dat(cells, 1, "int", offsets.data(), "offset");
  }
  void TearDown() override {
    op_exit();
    for (const char* name : {"OP2_CHECK", "OP2_REPRODUCIBLE", "OP2_SIMD", "OP2_THREADS"})
      unsetenv(name);
  }
  void call_scale() const { op_par_loop(scale, "scale", cells, op_arg_dat(x, OP_RW)); }
};

TEST_F(BitsCheck, NamesTheFirstLoopThatUsesOtherRows) {
  start("bits");
  call_scale();
  op_par_loop(add_neighbour, "neighbour", cells, op_arg_dat(offset, OP_READ), op_arg_dat(x, OP_RW));
  call_scale();
  std::vector<double> values(size);
  EXPECT_THAT(error_text(ErrorCode::bits_differ, [&] { op_fetch_data(x, values.data()); }),
              AllOf(HasSubstr("bits differ with OP2_CHECK=bits: loop 'neighbour' (" __FILE__ ":"),
                    HasSubstr("), 2 of 3 queued calls: dat 'x' on set 'cells', element "),
                    HasSubstr("if one thread executes one element after the other")));
  EXPECT_THAT(error_text(ErrorCode::poisoned, [&] { op_fetch_data(x, values.data()); }),
              HasSubstr("OP2-E224"));
}

TEST_F(BitsCheck, NamesAVariableAndAGlobal) {
  start("bits");
  double sum = 0;
  EXPECT_THAT(
      error_text(ErrorCode::bits_differ,
                 [&] {
                   op_par_loop(sum_of_neighbours, "sums", cells, op_arg_dat(offset, OP_READ),
                               op_arg_dat(x, OP_RW), op_arg_gbl(&sum, 1, "double", OP_INC));
                 }),
      AllOf(HasSubstr("loop 'sums'"), HasSubstr("1 of 1 queued calls: arg 2, component 0")));
  op_exit();
  start("bits");
  const op_global total = op_decl_global(1, &sum, "total");
  call_scale();
  op_par_loop(sum_of_neighbours, "sums", cells, op_arg_dat(offset, OP_READ), op_arg_dat(x, OP_RW),
              op_arg_gbl(total, OP_INC));
  EXPECT_THAT(error_text(ErrorCode::bits_differ, [&] { op_fetch_global(total, &sum); }),
              AllOf(HasSubstr("loop 'sums'"),
                    HasSubstr("2 of 2 queued calls: global 'total', component 0")));
}

/// What a program computes: increments, sums into variables and globals, several flushes.
std::vector<double> results_of(op_set cells, op_dat x) {
  const int size = cells->size;
  std::vector<int> ends;
  for (int k = 0; k < size; ++k) ends.insert(ends.end(), {k, (7 * k + 3) % size});
  const op_set edges = op_decl_set(size, "edges");
  const op_map map = op_decl_map(edges, cells, 2, ends.data(), "ends");
  std::vector<double> weights(static_cast<std::size_t>(size));
  for (int k = 0; k < size; ++k) weights[static_cast<std::size_t>(k)] = 0.1 * (k % 17);
  const op_dat weight = op_decl_dat(edges, 1, "double", weights.data(), "weight");
  double lazy_start = 0.5, variable = 0.25;
  const op_global lazy = op_decl_global(1, &lazy_start, "lazy");
  std::vector<double> results;
  for (int step = 0; step < 6; ++step) {
    op_par_loop(add_to_ends, "add_to_ends", edges, op_arg_dat(weight, OP_READ),
                op_arg_dat(x, 0, map, OP_INC), op_arg_dat(x, 1, map, OP_INC));
    op_par_loop(add_up, "add_up", cells, op_arg_dat(x, OP_READ), op_arg_gbl(lazy, OP_INC));
    if (step % 2 == 1) {
      op_par_loop(add_up, "add_up", cells, op_arg_dat(x, OP_READ),
                  op_arg_gbl(&variable, 1, "double", OP_INC));
      results.push_back(variable);
    }
  }
  double value = 0;
  op_fetch_global(lazy, &value);
  results.push_back(value);
  op_set_global(lazy, &variable);
  op_par_loop(add_up, "add_up", cells, op_arg_dat(x, OP_READ), op_arg_gbl(lazy, OP_INC));
  op_fetch_global(lazy, &value);
  results.push_back(value);
  std::vector<double> rows(static_cast<std::size_t>(size));
  op_fetch_data(x, rows.data());
  results.insert(results.end(), rows.begin(), rows.end());
  return results;
}

OP_KERNEL(take_over, (double* scratch, double* x), {
  *x += *scratch;
  *scratch += 1;
});

/// Also when they have been freed before their loops run.
TEST_F(BitsCheck, RestoresTemporariesThatAreFreedBeforeTheirLoopsRun) {
  for (const bool freed : {false, true}) {
    start("bits");
    const op_dat scratch = op_decl_dat_temp(cells, 1, "double", "scratch");
    for (int k = 0; k < 2; ++k)
      op_par_loop(take_over, "take_over", cells, op_arg_dat(scratch, OP_RW), op_arg_dat(x, OP_RW));
    if (freed) {
      EXPECT_TRUE(op_free_dat_temp(scratch));
    }
    std::vector<double> values(size);
    op_fetch_data(x, values.data());
    EXPECT_EQ(values.front(), 1.0 + 0 + 1);
    op_exit();
  }
  start("bits");
}

TEST_F(BitsCheck, ChangesNoResult) {
  start("none");
  const std::vector<double> expected = results_of(cells, x);
  op_exit();
  start("bits");
  EXPECT_EQ(results_of(cells, x), expected);
}

TEST(BitsCheckAlone, NeedsTheReproducibleMode) {
  setenv("OP2_CHECK", "bits", 1);
  EXPECT_THAT(error_text(ErrorCode::bad_option, [] { op_init(0, nullptr, 0); }),
              HasSubstr("OP2_CHECK=bits compares bits that are equal only with "
                        "OP2_REPRODUCIBLE=on; set that too"));
  unsetenv("OP2_CHECK");
}

}  // namespace
}  // namespace op2
