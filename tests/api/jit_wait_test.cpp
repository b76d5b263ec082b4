// SPDX-License-Identifier: BSD-3-Clause
// OP2_JIT_WAIT=off: loops run as host functions until the code of their kernels is made.
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/stderr_capture.hpp>

namespace op2 {
namespace {

using testing::HasSubstr;
using testing::Not;

double factor = 2;

OP_KERNEL(spread, (const double* weight, double* left, double* right), {
  *left += *weight;
  *right += 3 * *weight;
});
OP_KERNEL(total, (const double* value, double* sum), { *sum += *value; });
double unknown = 1;  // nobody declares it
OP_KERNEL(broken, (double* value, const double* by), { *value += *by * unknown; });
OP_KERNEL(scale, (double* value), { *value *= factor; });

/// A ring of points and the edges between neighbours; all values are whole numbers.
struct JitWait : testing::Test {
  static constexpr int size = 1000;
  test::StderrCapture captured;
  op_set points, edges;
  op_map ends;
  op_dat weight, value;

  JitWait() {
    for (const auto& [name, text] : {std::pair("OP2_JIT_WAIT", "off"),
                                     {"OP2_CACHE", "off"},
                                     {"OP2_DUMP", "schedule"},
                                     {"OP2_LOG", "warning"}})
      setenv(name, text, 1);
    op_init(0, nullptr, 0);
    points = op_decl_set(size, "points");
    edges = op_decl_set(size, "edges");
    std::vector<int> targets;
    for (int e = 0; e < size; ++e) targets.insert(targets.end(), {e, (e + 1) % size});
    ends = op_decl_map(edges, points, 2, targets.data(), "ends");
    const std::vector<double> ones(size, 1);
    weight = op_decl_dat(edges, 1, ones.data(), "weight");
    value = op_decl_dat<double>(points, 1, nullptr, "value");
  }
  ~JitWait() override {
    op_exit();
    for (const char* name : {"OP2_JIT_WAIT", "OP2_CACHE", "OP2_DUMP", "OP2_LOG"}) unsetenv(name);
  }

  /// Adds 4 to every value. @return the sum of all
  double step() {
    op_par_loop(spread, "spread", edges, op_arg_dat(weight, OP_READ),
                op_arg_dat(value, 0, ends, OP_INC), op_arg_dat(value, 1, ends, OP_INC));
    double sum = 0;
    op_par_loop(total, "total", points, op_arg_dat(value, OP_READ),
                op_arg_gbl(&sum, 1, "double", OP_INC));
    return sum;
  }
};

TEST_F(JitWait, HostFunctionsRunUntilTheCodeIsMade) {
  int steps = 0;
  const auto take = [&] { EXPECT_EQ(step(), 4.0 * size * ++steps); };
  take();
  EXPECT_THAT(captured.news(), HasSubstr("host, while its code is compiled"));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::string last;
  do {
    take();
    last = captured.news();
  } while ((last.find("jit") == std::string::npos || last.find("host") != std::string::npos) &&
           std::chrono::steady_clock::now() < end);
  for (int k = 0; k < 3; ++k) take();
  EXPECT_THAT(last, HasSubstr("jit"));
  EXPECT_THAT(last, Not(HasSubstr("host")));
}

TEST_F(JitWait, WhatCannotBeCompiledIsReportedWhenItIsKnown) {
  const double by = 2;
  const auto call = [&] {
    op_par_loop(broken, "broken", points, op_arg_dat(value, OP_RW),
                op_arg_gbl(&by, 1, "double", OP_READ));
    op_flush();
  };
  call();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::string said = captured.news();
  while (said.find("undeclared identifier") == std::string::npos &&
         std::chrono::steady_clock::now() < end) {
    call();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    said += captured.news();
  }
  EXPECT_THAT(said, HasSubstr("undeclared identifier 'unknown'"));
}

TEST_F(JitWait, AKernelThatNamesAConstantIsWaitedFor) {
  op_decl_const(1, &factor, "factor");
  op_par_loop(scale, "scale", points, op_arg_dat(value, OP_RW));
  op_flush();
  EXPECT_THAT(captured.news(), Not(HasSubstr("host")));
  EXPECT_EQ(op_get_jit_statistics().compiled, 1);
}

}  // namespace
}  // namespace op2
