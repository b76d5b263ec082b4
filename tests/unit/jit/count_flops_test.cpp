// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of an element, as the compiler counts it in the code of a loop.
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <core/loop_abi.hpp>
#include <jit/jit.hpp>
#include <support/jit_options.hpp>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

using core::SimdMode;
using test::dat;
using test::global;

/// One element after the other, and in vectors.
struct CountFlops : testing::TestWithParam<SimdMode> {
  test::TemporaryDirectory folder;
  core::Log log{core::LogLevel::off};
  std::deque<op_kernel_core> kernels;
  LoopRequest request;
  bool is_vector = false;  ///< the code

  void add(const char* name, const std::string& source, std::vector<CallArg> args) {
    texts_.push_back(source);
    kernels.push_back(
        {name, texts_.back().c_str(), "main.cpp", 1, false, nullptr, nullptr, nullptr, -1});
    request.nest.calls.push_back(call_of(kernels.back(), {}));
    request.nest.calls.back().args = std::move(args);
    request.origins.push_back({.loop = name, .call_site = "main.cpp:1", .kernel = &kernels.back()});
  }

  double flops(std::vector<ArgShape> args, bool reproducible = false) {
    request.nest.args = std::move(args);
    JitOptions options = test::jit_options(folder.path(), [] { return std::vector<Constant>(); });
    options.simd = GetParam();
    options.reproducible = reproducible;
    double counted = 0;
    for (const bool again : {false, true}) {  // from the cache
      Jit jit(options, log);
      const LoopCode outcome = jit.compile({{request}})[0];
      if (outcome.error) throw *outcome.error;
      is_vector = outcome.code->simd.vectorised();
      EXPECT_EQ(outcome.code->from_disk, again);
      EXPECT_EQ(again ? counted : outcome.code->flops, outcome.code->flops);
      counted = outcome.code->flops;
    }
    return counted;
  }

  /// Of a kernel with `const double* x`, 4 values, and `double* y`, 4 values to be written.
  double flops_of(std::string_view statements) {
    add("kernel",
        fmt::format("#include <math.h>\nvoid kernel(const double* x, double* y) {{ {} }}",
                    statements),
        {{0, OP_READ}, {1, OP_WRITE}});
    return flops({dat(0, 4, OP_READ), dat(1, 4, OP_WRITE)});
  }

  /// Of one that makes the first value so, and copies the others.
  double flops_of_first(std::string_view statements) {
    return flops_of(fmt::format("{} y[1] = x[1]; y[2] = x[2]; y[3] = x[3];", statements));
  }

 private:
  std::deque<std::string> texts_;
};

INSTANTIATE_TEST_SUITE_P(Width, CountFlops,
                         testing::Values(SimdMode::off, SimdMode::wherever_possible));

TEST_P(CountFlops, OfACopyAreNone) {
  EXPECT_EQ(flops_of_first("y[0] = x[0];"), 0);
}

TEST_P(CountFlops, AreThoseOfTheStatements) {
  EXPECT_EQ(flops_of_first("y[0] = (x[0] * x[1] + x[2]) / x[3] - x[0];"), 4);
  EXPECT_EQ(is_vector, GetParam() != SimdMode::off);
}

TEST_P(CountFlops, OfLoopsOverComponentsAreThoseOfAllIterations) {
  EXPECT_EQ(flops_of("for (int k = 0; k < 4; ++k) y[k] = x[k] * 3 + 1;"), 8);
}

TEST_P(CountFlops, OfLongLoopsToo) {
  EXPECT_EQ(flops_of_first(
                "double s = x[0]; for (int k = 0; k < 1000; ++k) s = s * x[1] + x[2]; y[0] = s;"),
            2000);
}

TEST_P(CountFlops, OfRootsAndOtherFunctionsAreOne) {
  EXPECT_EQ(flops_of_first("y[0] = sqrt(x[0]) + fabs(x[1]);"), 2);
}

TEST_P(CountFlops, OfBothSidesOfABranchCount) {
  EXPECT_EQ(flops_of_first("if (x[0] > 0) y[0] = x[1] / x[2]; else y[0] = sin(x[3]) + x[2];"), 3);
}

TEST_P(CountFlops, OfALoopOfUnknownLengthAreNotKnown) {
  EXPECT_EQ(
      flops_of_first("double s = 0; for (int k = 0; k < (int)x[0]; ++k) s += x[1] * k; y[0] = s;"),
      core::unknown_flops);
}

TEST_P(CountFlops, OfFusedLoopsAddUp) {
  add("first", "void first(const double* x, double* y) { *y = *x * 3; }",
      {{0, OP_READ}, {1, OP_WRITE}});
  add("second", "void second(double* y) { *y = *y / 7 + 1; }", {{1, OP_RW}});
  EXPECT_EQ(flops({dat(0, 1, OP_READ), dat(1, 1, OP_WRITE)}), 3);
}

TEST_P(CountFlops, OfSumsCount) {
  add("sum", "void sum(const double* x, double* s) { *s += *x * *x; }",
      {{0, OP_READ}, {1, OP_INC}});
  EXPECT_EQ(flops({dat(0, 1, OP_READ), global(1, OP_INC)}), 2);
}

/// There, terms are added up in pieces.
TEST_P(CountFlops, OfReproducibleCodeAreKnown) {
  add("sum", "void sum(const double* x, double* s) { *s += *x / 3; }", {{0, OP_READ}, {1, OP_INC}});
  EXPECT_GE(flops({dat(0, 1, OP_READ), global(1, OP_INC)}, true), 1);
}

}  // namespace
}  // namespace op2::jit
