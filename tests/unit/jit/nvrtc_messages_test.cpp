// SPDX-License-Identifier: BSD-3-Clause
// What the log of NVRTC says, without NVRTC.
#include <gmock/gmock.h>

#include <jit/backend.hpp>
#include <jit/target/cuda/nvrtc_messages.hpp>

namespace op2::jit {
namespace {

Diagnostic only(const std::string& log) {
  const std::vector<Diagnostic> messages = nvrtc_messages(log);
  EXPECT_EQ(messages.size(), 1U);
  return messages.empty() ? Diagnostic{} : messages[0];
}

TEST(NvrtcMessages, HaveAPlaceInTheSourceOfTheirKernel) {
  const Diagnostic message = only(
      "op2_call1/adt_calc(4): error: identifier \"foo\" is undefined\n"
      "    double a = foo + 1;\n               ^\n\n1 error detected in the compilation.\n");
  EXPECT_EQ(message.file, "adt_calc");
  EXPECT_EQ(message.unit, 1);
  EXPECT_EQ(message.line, 4);
  EXPECT_EQ(message.column, 14);
  EXPECT_EQ(message.source_line, "  double a = foo + 1;");
  EXPECT_EQ(message.kind, Diagnostic::Kind::unknown_symbol);
  EXPECT_EQ(message.subject, "foo");
}

TEST(NvrtcMessages, DoNotShowWhatWasWrittenIntoTheSource) {
  const Diagnostic message = only(
      "op2_call0/work(1): error: expected a \";\"\n"
      "  x = ::op2_kernel0::help() y\n                            ^\n");
  EXPECT_EQ(message.source_line, "x = ::help() y");
  EXPECT_EQ(message.column, 14);
}

TEST(NvrtcMessages, WarningsHaveNumbersThatAreNotShown) {
  const Diagnostic message = only(
      "op2_call0/work(6): warning #187-D: use of \"=\" where \"==\" may have been intended\n"
      "    if (y[0] = 2) return;\n        ^\n\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n");
  EXPECT_EQ(message.severity, Diagnostic::Severity::warning);
  EXPECT_EQ(message.text, "use of \"=\" where \"==\" may have been intended");
}

TEST(NvrtcMessages, AboutOtherFilesAreAboutGeneratedCode) {
  EXPECT_EQ(only("generated code(12): error: static assertion failed with \"op2\"\n").file,
            generated_file);
  EXPECT_EQ(only("At end of source: error: expected a \"}\"\n").file, generated_file);
}

TEST(NvrtcMessages, OfTheAssemblerNameTheFunctionThatIsMissing) {
  const Diagnostic message =
      only("ptxas fatal   : Unresolved extern function '_ZN11op2_kernel05otherEd'\n");
  EXPECT_EQ(message.subject, "other");
  EXPECT_EQ(message.kind, Diagnostic::Kind::unknown_symbol);
}

TEST(NvrtcMessages, AFileThatCannotBeOpenedIsNamed) {
  EXPECT_EQ(
      only("op2_call0/a(1): catastrophic error: cannot open source file \"nope.h\"\n").subject,
      "nope.h");
}

TEST(NvrtcMessages, LinesAboutRegistersAreKeptWithoutTimes) {
  const std::string log =
      "ptxas info    : Used 18 registers, used 0 barriers\n"
      "ptxas info    : Compile time = 4.995 ms\n";
  EXPECT_EQ(ptxas_lines(log), "ptxas info    : Used 18 registers, used 0 barriers\n");
  EXPECT_TRUE(nvrtc_messages(log).empty());
}

}  // namespace
}  // namespace op2::jit
