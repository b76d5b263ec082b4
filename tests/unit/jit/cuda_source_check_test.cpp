// SPDX-License-Identifier: BSD-3-Clause
// What a GPU's compiler accepts although kernels should not contain it.
#include <gmock/gmock.h>

#include <jit/target/cuda/source_check.hpp>
#include <support/loop_shapes.hpp>

namespace op2::jit {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Diagnostic> found_in(const std::string& source) {
  return check_sources(nest_of({.name = "f", .source = source}, {test::dat(0, 1, OP_RW)}));
}

void expect(Diagnostic::Severity severity, const char* text, const std::string& source) {
  const std::vector<Diagnostic> found = found_in(source);
  ASSERT_EQ(found.size(), 1U) << source;
  EXPECT_EQ(found[0].severity, severity);
  EXPECT_THAT(found[0].text, HasSubstr(text));
  EXPECT_EQ(found[0].line, 2);
}

TEST(CudaSourceCheck, WarnsOfStateAndOfAssemblyThatMayBeExcluded) {
  constexpr auto warning = Diagnostic::Severity::warning;
  expect(warning, "variable 'n'", "void f(double* a) {\nstatic int n = 0; *a = ++n; }");
  expect(warning, "variable 't'", "void f(double* a) {\nstatic double t[2]; t[0] = *a; }");
  expect(warning, "inline assembly", "# ifdef CPU\nvoid f(double* a) { asm(\"nop\"); }\n#endif");
}

TEST(CudaSourceCheck, RefusesAssemblyMemoryVirtualFunctionsAndTheLibrarysNames) {
  constexpr auto error = Diagnostic::Severity::error;
  expect(error, "inline assembly", "void f(double* a) {\nasm volatile(\"nop\"); }");
  expect(error, "allocate", "void f(double* a) {\ndouble* b = new double(*a); *a = *b; }");
  expect(error, "virtual", "struct S {\nvirtual double g(); };\nvoid f(double* a) {}");
  expect(error, "'fabs'", "\ndouble fabs(double x) { return x; }\nvoid f(double* a) {}");
  expect(error, "'fmin'", "\ndouble fmin(double x, double y) { return x; }\nvoid f(double* a) {}");
}

TEST(CudaSourceCheck, AllowsConstantsHelpersAndOverloads) {
  EXPECT_THAT(found_in("static double one() { return 1; }\n"
                       "struct S { static double two() { return 2; } S(const S&) = delete; };\n"
                       "double pow(double x, int n) { return n * x; }\n"
                       "void f(double* a) { static const double t[2] = {1, 2};\n"
                       "static constexpr int n = 1; *a = t[n] + one(); }"),
              IsEmpty());
}

}  // namespace
}  // namespace op2::jit
