// SPDX-License-Identifier: BSD-3-Clause
// What headers for kernels offer means what it means in the standard library of the host.
#include <deque>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jit/jit.hpp>
#include <jit/target/cpu/cpu_target.hpp>
#include <support/jit_options.hpp>
#include <support/library_kernel.inc>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

using test::dat;

constexpr int elements = 21;

struct KernelLibrary : testing::Test {
  test::TemporaryDirectory folder;
  core::Log log{core::LogLevel::off};
  std::vector<double> x;

  KernelLibrary() {
    for (int k = 0; k < 2 * elements; ++k) x.push_back(0.1 + 0.37 * ((7 * k) % 11));
  }
  LoopCode code(Jit& jit, const char* name, const std::string& source, int dim) {
    const op_kernel_core kernel{name, source.c_str(), "", 1, false, nullptr, nullptr, nullptr, -1};
    return jit.compile(
        {{test::loop_request(kernel, {dat(0, 2, OP_READ), dat(1, dim, OP_WRITE)}, {})}})[0];
  }
  Jit make(core::SimdMode simd) {
    JitOptions options = test::jit_options(folder.path(), [] { return std::vector<Constant>(); });
    options.simd = simd;
    return Jit(std::move(options), log);
  }
  std::vector<double> results(const LoopCode& outcome, int dim) {
    std::vector<double> y(static_cast<std::size_t>(dim) * elements);
    const core::ArgBinding bindings[] = {{x.data(), nullptr, 0}, {y.data(), nullptr, 0}};
    range_of (*outcome.code)(0, elements, bindings);
    return y;
  }
};

TEST_F(KernelLibrary, IsThatOfTheHost) {
  const std::string source = test::content_of(OP2_LIBRARY_KERNEL);
  for (const core::SimdMode simd : {core::SimdMode::off, core::SimdMode::wherever_possible}) {
    Jit jit = make(simd);
    const LoopCode outcome = code(jit, "library_kernel", source, 8);
    ASSERT_FALSE(outcome.error) << outcome.error->what();
    const std::vector<double> y = results(outcome, 8);
    for (std::size_t k = 0; k < elements; ++k) {
      double expected[8];
      library_kernel(&x[2 * k], expected);
      for (std::size_t n = 0; n < 8; ++n)
        EXPECT_NEAR(y[8 * k + n], expected[n], 1e-12 * std::fabs(expected[n])) << k << ", " << n;
    }
  }
}

TEST_F(KernelLibrary, SortsInVectorisedCode) {
  Jit jit = make(core::SimdMode::wherever_possible);
  const LoopCode outcome =
      code(jit, "f",
           "void f(const double* x, double* y) { double v[4] = {x[0], x[1], 0.7, 2.1};\n"
           "std::sort(v, v + 4); std::copy(v, v + 4, y); }",
           4);
  ASSERT_FALSE(outcome.error) << outcome.error->what();
  EXPECT_TRUE(outcome.code->simd.vectorised()) << description_of(outcome.code->simd);
  const std::vector<double> y = results(outcome, 4);
  for (std::size_t k = 0; k < elements; ++k) EXPECT_TRUE(std::is_sorted(&y[4 * k], &y[4 * k] + 4));
}

TEST_F(KernelLibrary, NamesTheHeaderOfWhatIsNotIncluded) {
  Jit jit = make(core::SimdMode::off);
  const LoopCode outcome = code(
      jit, "f", "void f(const double* x, double* y) { *y = std::accumulate(x, x + 2, 0.0); }", 1);
  ASSERT_TRUE(outcome.error);
  EXPECT_THAT(outcome.error->what(), testing::HasSubstr("add #include <numeric>"));
}

}  // namespace
}  // namespace op2::jit
