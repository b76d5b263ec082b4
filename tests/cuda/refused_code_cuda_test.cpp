// SPDX-License-Identifier: BSD-3-Clause
// Code of the cache that the driver refuses.
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>

#include <support/expect_error.hpp>
#include <support/stderr_capture.hpp>

#include "emulator.hpp"

namespace op2::test {
namespace {

using testing::HasSubstr;
using testing::Not;

OP_KERNEL(add_three, (double* value), { *value += 3; });

struct RefusedCode : testing::Test {
  /// With the code in the cache.
  RefusedCode() {
    setenv("OP2_TARGET", "cuda", 1);
    start();
    op_flush();
    op_exit();
  }
  ~RefusedCode() override {
    unsetenv("OP2_EMU_FAIL");
    unsetenv("OP2_TARGET");
  }
  void start() {
    reset_emulator();
    op_init(0, nullptr);
    const op_set cells = op_decl_set(5, "cells");
    values = op_decl_dat<double>(cells, 1, nullptr, "values");
    op_par_loop(add_three, "add_three", cells, op_arg_dat(values, OP_RW));
  }
  /// A run in which loading code has a result. @return the error
  std::string run_with(int result) {
    setenv("OP2_EMU_FAIL", ("cuModuleLoadDataEx:" + std::to_string(result)).c_str(), 1);
    start();
    const std::string text = error_text(ErrorCode::device_compiler, [] { op_flush(); });
    compilations = emulated_calls("nvrtcCompileProgram");
    op_exit();
    unsetenv("OP2_EMU_FAIL");
    return text;
  }
  op_dat values{};
  long long compilations = 0;
};

/// Another driver, or a device of another kind, takes it.
TEST_F(RefusedCode, ThatIsWholeIsAnErrorAndStaysInTheCache) {
  StderrCapture log;
  for (const int result : {209, 218, 221, 222, 223}) {
    EXPECT_THAT(run_with(result),
                HasSubstr("cuModuleLoadDataEx returned " + std::to_string(result)));
    EXPECT_EQ(compilations, 0) << result;
  }
  EXPECT_THAT(log.news(), Not(HasSubstr("is damaged")));
  start();
  std::vector<double> result(5);
  op_fetch_data(values, result.data());
  EXPECT_THAT(result, testing::Each(3.0));
  EXPECT_EQ(emulated_calls("nvrtcCompileProgram"), 0);
  op_exit();
}

TEST_F(RefusedCode, ThatMayBeDamagedIsCompiledAgain) {
  StderrCapture log;
  EXPECT_THAT(run_with(200), HasSubstr("cuModuleLoadDataEx returned 200"));
  EXPECT_EQ(compilations, 1);
  EXPECT_THAT(log.news(), HasSubstr("is damaged and is compiled again"));
}

}  // namespace
}  // namespace op2::test
