// SPDX-License-Identifier: BSD-3-Clause
// Loops that call the same kernel: it is parsed for the first of them.
#include <gmock/gmock.h>

#include <unit/jit/backend_support.hpp>

namespace op2::jit::test {
namespace {

using testing::IsEmpty;
using testing::Not;

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
