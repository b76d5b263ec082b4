// SPDX-License-Identifier: BSD-3-Clause
// Globals that get the value of one element: OP_WRITE, and what belongs to a minimum or maximum.
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/expect_error.hpp>

namespace op2 {
namespace {

using testing::HasSubstr;

OP_KERNEL(lowest, (const double* x, const int* number, double* least, int* where), {
  if (*x < *least) {
    *least = *x;
    *where = *number;
  }
});
OP_KERNEL(highest, (const double* x, const int* number, int* where, double* greatest), {
  if (*x > *greatest) {
    *greatest = *x;
    where[0] = *number;
    where[1] = 2 * *number;
  }
});
OP_KERNEL(last_even, (const int* number, int* found), {
  if (*number % 2 == 0) *found = *number;
});

struct Payload : testing::TestWithParam<const char*> {
  static constexpr int size = 3001;
  std::vector<double> values;
  op_set set;
  op_dat x;

  Payload() : values(size) {
    if (GetParam() == std::string("reproducible"))
      setenv("OP2_REPRODUCIBLE", "on", 1);
    else
      setenv("OP2_JIT", GetParam(), 1);
    op_init(0, nullptr, 0);
    for (int k = 0; k < size; ++k) values[static_cast<std::size_t>(k)] = (k * 7919) % 1000;
    set = op_decl_set(size, "set");
    x = op_decl_dat(set, 1, values.data(), "x");
  }
  ~Payload() override {
    op_exit();
    unsetenv("OP2_JIT");
    unsetenv("OP2_REPRODUCIBLE");
  }
};

TEST_P(Payload, TheMinimumIsThatOfTheFirstElementThatHasIt) {
  double least = 1e9;
  int where = -1;
  op_par_loop(lowest, "lowest", set, op_arg_dat(x, OP_READ), op_arg_idx(-1, OP_ID),
              op_arg_gbl(&least, 1, "double", OP_MIN), op_arg_info(&where, 1, "int", 2));
  EXPECT_EQ(least, 0);
  EXPECT_EQ(where, 0);
}

TEST_P(Payload, APayloadMayHaveSeveralValuesAndComeBeforeItsMaximum) {
  double greatest = -1;
  int where[2] = {-1, -1};
  op_par_loop(highest, "highest", set, op_arg_dat(x, OP_READ), op_arg_idx(-1, OP_ID),
              op_arg_info(where, 2, "int", 3), op_arg_gbl(&greatest, 1, "double", OP_MAX));
  EXPECT_EQ(greatest, 999);
  EXPECT_EQ(values[static_cast<std::size_t>(where[0])], 999);
  EXPECT_LT(where[0], 1000);
  EXPECT_EQ(where[1], 2 * where[0]);
}

TEST_P(Payload, WhatNobodySetsStaysAsItWas) {
  double least = -5;
  int where = 42;
  op_par_loop(lowest, "lowest", set, op_arg_dat(x, OP_READ), op_arg_idx(-1, OP_ID),
              op_arg_gbl(&least, 1, "double", OP_MIN), op_arg_info(&where, 1, "int", 2));
  EXPECT_EQ(least, -5);
  EXPECT_EQ(where, 42);
}

TEST_P(Payload, AWrittenGlobalHasTheValueOfTheLastElementThatWrites) {
  int found = -1;
  op_par_loop(last_even, "last_even", set, op_arg_idx(-1, OP_ID),
              op_arg_gbl(&found, 1, "int", OP_WRITE));
  EXPECT_EQ(found, size - 1);
}

TEST_P(Payload, APayloadMustBelongToAMinimumOrMaximum) {
  double least = 0;
  int where = 0;
  for (const int reference : {0, 3, 4, -1})
    EXPECT_THAT(test::error_text(ErrorCode::bad_access,
                                 [&] {
                                   op_par_loop(lowest, "lowest", set, op_arg_dat(x, OP_READ),
                                               op_arg_idx(-1, OP_ID),
                                               op_arg_gbl(&least, 1, "double", OP_MIN),
                                               op_arg_info(&where, 1, "int", reference));
                                 }),
                HasSubstr("arg 3"));
}

INSTANTIATE_TEST_SUITE_P(By, Payload, testing::Values("on", "off"), [](const auto& of) {
  return std::string(of.param) == "on" ? "CompiledCode" : "HostFunctions";
});
#ifdef OP2_TEST_LLVM
INSTANTIATE_TEST_SUITE_P(InTheMode, Payload, testing::Values("reproducible"),
                         [](const auto&) { return "Reproducible"; });
#endif

OP_KERNEL(shift, (double* x, const double* by, double* sum), {
  if (by) *x += *by;
  if (sum) *sum += *x;
});

TEST(OptionalGlobals, AreNullWhenOff) {
  for (const char* jit : {"on", "off"}) {
    setenv("OP2_JIT", jit, 1);
    op_init(0, nullptr, 0);
    const op_set set = op_decl_set(4, "set");
    const std::vector<double> ones(4, 1);
    const op_dat x = op_decl_dat(set, 1, ones.data(), "x");
    const double by = 2;
    double sum = 0;
    double* const nothing = nullptr;
    op_par_loop(shift, "shift", set, op_arg_dat(x, OP_RW),
                op_opt_arg_gbl(0, static_cast<const double*>(nullptr), 1, "double", OP_READ),
                op_opt_arg_gbl(0, nothing, 1, "double", OP_INC));
    op_par_loop(shift, "shift", set, op_arg_dat(x, OP_RW),
                op_opt_arg_gbl(1, &by, 1, "double", OP_READ),
                op_opt_arg_gbl(1, &sum, 1, "double", OP_INC));
    EXPECT_EQ(sum, 12);
    op_exit();
  }
  unsetenv("OP2_JIT");
}

}  // namespace
}  // namespace op2
