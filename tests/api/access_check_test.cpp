// SPDX-License-Identifier: BSD-3-Clause
// Kernels that break the access modes of their loops: warnings, or errors with OP2_CHECK=access.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/expect_error.hpp>
#include <support/stderr_capture.hpp>
#include <support/temporary_directory.hpp>

namespace op2 {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

OP_KERNEL(replace, (const double* by, double* value), { *value = *by; });
OP_KERNEL(where_positive, (const double* by, double* value), {
  if (*by > 0) *value = *by;
});

struct AccessCheck : testing::Test {
  test::TemporaryDirectory folder;
  test::StderrCapture captured;
  op_set cells;
  op_dat by, value;
  op_kernel partly;

  void start(const char* check) {
    for (const auto& [name, text] :
         {std::pair("OP2_CHECK", check), {"OP2_CACHE", "off"}, {"OP2_LOG", "warning"}})
      setenv(name, text, 1);
    op_init(0, nullptr, 0);
    cells = op_decl_set(10, "cells");
    by = op_decl_dat<double>(cells, 1, nullptr, "by");
    value = op_decl_dat<double>(cells, 1, nullptr, "value");
    std::ofstream(folder / "partly.h") << "void partly(const double* by, double* value) {\n"
                                          "  if (*by > 0) value[0] = 1;\n"
                                          "}\n";
    partly = op_decl_kernel_file("partly", (folder / "partly.h").c_str());
  }
  void TearDown() override {
    op_exit();
    for (const char* name : {"OP2_CHECK", "OP2_CACHE", "OP2_LOG"}) unsetenv(name);
  }
  /// What was logged since the start or the last call.
  std::string said() { return captured.news(); }
  void call(op_kernel kernel, const char* name, op_access access) {
    op_par_loop(kernel, name, cells, op_arg_dat(by, OP_READ), op_arg_dat(value, access));
    op_flush();
  }
};

TEST_F(AccessCheck, WarnsOncePerKernelWithThePlaceInTheFile) {
  start("none");
  for (const char* loop : {"first", "second", "third"}) call(partly, loop, OP_INC);
  const std::string text = said();
  const std::string place = std::string(folder / "partly.h") + ":2:";
  EXPECT_THAT(text, AllOf(HasSubstr("loop 'first' (" __FILE__ ":"),
                          HasSubstr("arg 1 (OP_INC): kernel 'partly' assigns to it instead of "
                                    "adding (" +
                                    place),
                          HasSubstr("\n  if (*by > 0) value[0] = 1;\n")));
  EXPECT_EQ(text.find("assigns"), text.rfind("assigns"));
}

TEST_F(AccessCheck, SaysNothingOfAKernelThatKeepsItsModes) {
  start("access");
  call(replace, "replace", OP_WRITE);
  call(where_positive, "where_positive", OP_RW);
  EXPECT_THAT(said(), IsEmpty());
}

TEST_F(AccessCheck, IsAnErrorOnRequestAlsoWhereThereIsAHostFunction) {
  start("access");
  const std::string text =
      test::error_text(ErrorCode::kernel_access, [&] { call(replace, "add up", OP_INC); });
  EXPECT_THAT(text, AllOf(HasSubstr("loop 'add up' ("), HasSubstr("arg 1 (OP_INC)"),
                          HasSubstr("kernel 'replace' assigns to it instead of adding"),
                          HasSubstr("access_check_test.cpp:24")));
}

TEST_F(AccessCheck, AnArgumentThatMayBeOffNeedNotBeWritten) {
  start("access");
  op_par_loop(where_positive, "optional", cells, op_arg_dat(by, OP_READ),
              op_opt_arg_dat(1, value, -1, OP_ID, 1, "double", OP_WRITE));
  op_flush();
  EXPECT_THAT(said(), IsEmpty());
}

TEST_F(AccessCheck, LoopsThatAreFusedAreComparedAlone) {
  start("none");
  for (int step = 0; step < 4; ++step) {
    op_par_loop(replace, "set", cells, op_arg_dat(by, OP_READ), op_arg_dat(value, OP_WRITE));
    op_par_loop(where_positive, "change", cells, op_arg_dat(by, OP_READ), op_arg_dat(value, OP_RW));
    op_flush();
  }
  EXPECT_THAT(said(), IsEmpty());
}

}  // namespace
}  // namespace op2
