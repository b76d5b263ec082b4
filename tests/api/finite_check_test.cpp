// SPDX-License-Identifier: BSD-3-Clause
// OP2_CHECK=finite names the first loop, dat and value that is NaN or infinite.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/expect_error.hpp>

namespace op2 {
namespace {

using test::error_text;
using testing::AllOf;
using testing::HasSubstr;

constexpr double infinite = std::numeric_limits<double>::infinity();

OP_KERNEL(divide, (const double* by, double* two), {
  two[0] = 1;
  two[1] = 1 / by[0];
});
OP_KERNEL(twice, (double* two), {
  two[0] *= 2;
  two[1] *= 2;
});
OP_KERNEL(spread, (const double* two, float* left, float* right), {
  *left += static_cast<float>(two[0]);
  *right += static_cast<float>(two[1] * 1e30 * 1e30);
});
OP_KERNEL(some, (const double* by, double* two), {
  if (by[0] > 5) two[0] = by[0];
});

struct FiniteCheck : testing::Test {
  op_set cells;
  op_dat by, two;
  std::vector<double> values{1, 2, 3, 0, 5, 0};

  void start(const char* check) {
    setenv("OP2_CHECK", check, 1);
    setenv("OP2_RENUMBER", "on", 1);
    op_init(0, nullptr, 0);
    cells = op_decl_set(6, "cells");
    by = op_decl_dat(cells, 1, "double", values.data(), "by");
    two = op_decl_dat<double>(cells, 2, nullptr, "two");
  }
  void TearDown() override {
    op_exit();
    unsetenv("OP2_CHECK");
    unsetenv("OP2_RENUMBER");
  }
};

TEST_F(FiniteCheck, NamesLoopDatElementAndComponent) {
  start("finite");
  op_par_loop(twice, "first", cells, op_arg_dat(two, OP_RW));
  EXPECT_THAT(error_text(ErrorCode::not_finite,
                         [&] {
                           op_par_loop(divide, "divide", cells, op_arg_dat(by, OP_READ),
                                       op_arg_dat(two, OP_WRITE));
                         }),
              AllOf(HasSubstr("not finite after the loop: loop 'divide' (" __FILE__ ":"),
                    HasSubstr("arg 1, dat 'two' on set 'cells', element 3, component 1 is inf; "
                              "such values of the dat on this rank: 2")));
}

TEST_F(FiniteCheck, NamesARowThatIsReachedThroughAMap) {
  start("finite");
  const int ends[] = {0, 1, 1, 2};
  const op_set edges = op_decl_set(2, "edges");
  const op_map map = op_decl_map(edges, cells, 2, ends, "ends");
  const std::vector<double> ones(4, 1.0);
  const op_dat flow = op_decl_dat(edges, 2, "double", ones.data(), "flow");
  const op_dat sum = op_decl_dat<float>(cells, 1, nullptr, "sum");
  EXPECT_THAT(error_text(ErrorCode::not_finite,
                         [&] {
                           op_par_loop(spread, "spread", edges, op_arg_dat(flow, OP_READ),
                                       op_arg_dat(sum, 0, map, OP_INC),
                                       op_arg_dat(sum, 1, map, OP_INC));
                         }),
              HasSubstr("arg 1, dat 'sum' on set 'cells', element 1, component 0 is inf; such "
                        "values of the dat on this rank: 2"));
}

TEST_F(FiniteCheck, TellsValuesThatTheProgramHasDeclared) {
  values = {1, 1, infinite, 1, 1, 1};
  start("finite");
  EXPECT_THAT(error_text(ErrorCode::not_finite,
                         [&] {
                           op_par_loop(divide, "divide", cells, op_arg_dat(by, OP_READ),
                                       op_arg_dat(two, OP_WRITE));
                         }),
              HasSubstr("before the loop: loop 'divide' (" __FILE__ ":"));
}

TEST_F(FiniteCheck, AcceptsOldValuesOfADatThatIsOnlyWritten) {
  start("finite");
  const std::vector<double> old(12, infinite);
  const op_dat fresh = op_decl_dat(cells, 2, "double", old.data(), "fresh");
  op_par_loop(some, "some", cells, op_arg_dat(by, OP_READ), op_arg_dat(fresh, OP_WRITE));
  op_par_loop(twice, "twice", cells, op_arg_dat(two, OP_RW));
}

TEST_F(FiniteCheck, IsOffByDefault) {
  start("access");
  op_par_loop(divide, "divide", cells, op_arg_dat(by, OP_READ), op_arg_dat(two, OP_WRITE));
  op_flush();
}

}  // namespace
}  // namespace op2
