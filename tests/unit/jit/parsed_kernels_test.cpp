// SPDX-License-Identifier: BSD-3-Clause
// Loops that call the same kernel: it is parsed for the first of them.
#include <gmock/gmock.h>

#include <unit/jit/backend_support.hpp>

namespace op2::jit::test {
namespace {

using testing::IsEmpty;
using testing::Not;

/// A loop that hands each element to a kernel of this body, then multiplies y by `factor`.
CompileRequest loop_of(const std::string& body, const std::string& factor) {
  CompileRequest request = work(body);
  CompileUnit& kernel = request.units[0];
  kernel.source =
      "#line 10 \"user.cpp\"\nstatic void work(const double* x, double* y) {" + body +
      "}\n#line 1 \"generated code\"\n"
      "extern \"C\" void __op2_kernel(void* x, void* y) { ::work((double*)x, (double*)y); }\n";
  CompileUnit loop;
  loop.source =
      "struct Binding { void* base; const int* index; long stride; };\n"
      "extern \"C\" void __op2_kernel0(void*, void*);\n"
      "extern \"C\" void op2_range_work(long begin, long end, const Binding* args) {\n"
      "  for (long i = begin; i < end; ++i) {\n"
      "    double* y = (double*)args[1].base + i;\n"
      "    __op2_kernel0((double*)args[0].base + i, y);\n    *y *= " +
      factor + ";\n  }\n}\n";
  request.units.push_back(loop);
  return request;
}

TEST(ParsedKernels, ParsesTheKernelOfTwoLoopsOnce) {
  const auto backend = load();
  EXPECT_EQ(backend->compile(loop_of("*y = *x;", "2")).parsed, 2);
  EXPECT_EQ(backend->compile(loop_of("*y = *x;", "3")).parsed, 1);
}

TEST(ParsedKernels, ParsesAKernelOfAnotherSource) {
  const auto backend = load();
  EXPECT_EQ(backend->compile(loop_of("*y = *x;", "2")).parsed, 2);
  EXPECT_EQ(backend->compile(loop_of("*y = -*x;", "2")).parsed, 2);
}

TEST(ParsedKernels, ParsesAKernelOfOtherSanitizers) {
  const auto backend = load();
  CompileRequest checked = loop_of("*y = *x;", "2");
  checked.sanitizers.undefined = true;
  EXPECT_EQ(backend->compile(loop_of("*y = *x;", "2")).parsed, 2);
  EXPECT_EQ(backend->compile(checked).parsed, 2);
}

TEST(ParsedKernels, GivesALoopTheCodeThatItWouldGetAlone) {
  const auto backend = load();
  backend->compile(loop_of("*y = *x;", "2"));
  const CompileRequest second = loop_of("*y = *x;", "3");
  EXPECT_EQ(backend->compile(second).object, load()->compile(second).object);
}

TEST(ParsedKernels, RepeatsWarningsForEachLoop) {
  const auto backend = load();
  const std::string body = "double z; *y = *x + z;";
  EXPECT_THAT(backend->compile(loop_of(body, "2")).diagnostics, Not(IsEmpty()));
  EXPECT_THAT(backend->compile(loop_of(body, "3")).diagnostics, Not(IsEmpty()));
}

TEST(ParsedKernels, RepeatsErrorsForEachLoop) {
  const auto backend = load();
  const CompileRequest request = loop_of("*y = nowhere;", "2");
  EXPECT_EQ(backend->compile(request).status, CompileStatus::rejected);
  EXPECT_EQ(backend->compile(request).status, CompileStatus::rejected);
}

}  // namespace
}  // namespace op2::jit::test
